// Where what calls showed is kept for the next process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace duoblas {

/// What times depend on. In words what tells people, and `duoblas profile purge`, whether they
/// still count; the rest as hashes.
struct LearnedKey {
  std::string version;         ///< of the library
  std::string device, driver;  ///< as in a ProfileKey
  std::string profile,
      others;  ///< cache_file_name() of the profile's JSON, and of what else counts
};
/// Of this library, as keys have it.
std::string learned_version();
std::string to_text(const LearnedKey& key);
/// Nothing: it is another file's key, or an older version's.
std::optional<LearnedKey> learned_key_from(std::string_view text);

/// The folder of these files, and of what programs leave there (program_history.hpp).
std::string learned_folder(const std::string& cache_dir);

/// A file of DUOBLAS_CACHE_DIR, found by what its times depend on. While another process uses the
/// same device nothing is written: its work is in the times. (What came and went between two
/// writes is not seen.)
class LearnedFile {
 public:
  /// `cache_dir` empty: keeps nothing. `device`: whose users are counted. Never throws but
  /// std::bad_alloc.
  LearnedFile(const std::string& cache_dir, std::string key, const std::string& device);
  ~LearnedFile();
  LearnedFile(const LearnedFile&) = delete;
  LearnedFile& operator=(const LearnedFile&) = delete;

  /// Empty: there is nothing, or it cannot be read.
  std::vector<unsigned char> load() const;
  /// Replaces it at once. False: it was not written.
  bool store(const std::vector<unsigned char>& bytes) const;
  /// Whether another process, or another engine of this one, uses the device.
  bool is_shared() const;

 private:
  std::string folder_, key_;
  int users_ = -1;  ///< open file that every user of the device has locked for reading
};

}  // namespace duoblas
