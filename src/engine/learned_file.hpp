// The file that keeps what calls showed for the next process.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "os/file_descriptor.hpp"

namespace duoblas {

/// Everything that times depend on, in words and as hashes.
struct LearnedKey {
  std::string version;          ///< of the library
  std::string device, driver;   ///< as in a ProfileKey
  std::string profile, others;  ///< cache_file_name() of each profile's JSON, and of the rest
};
/// The version of this library, as keys contain it.
std::string learned_version();
std::string to_text(const LearnedKey& key);

/// The directory of these files.
std::string learned_folder(const std::string& cache_dir);

/// A file of DUOBLAS_CACHE_DIR, named by the hash of its key. While another process uses the same
/// device nothing is written, because its work is in the times. (A process that comes and goes
/// between two writes is not seen.)
class LearnedFile {
 public:
  /// `cache_dir` empty: keeps nothing. `device`: the device whose users are counted. Throws nothing
  /// but std::bad_alloc.
  LearnedFile(const std::string& cache_dir, std::string key, const std::string& device);
  ~LearnedFile();
  LearnedFile(const LearnedFile&) = delete;
  LearnedFile& operator=(const LearnedFile&) = delete;

  /// Empty: there is no file, or it cannot be read.
  std::vector<unsigned char> load() const;
  /// Replaces it at once. False: it was not written.
  bool store(const std::vector<unsigned char>& bytes);
  /// The same of what does not depend on times, whoever uses the device.
  bool store_beside_others(const std::vector<unsigned char>& bytes) const;
  /// Whether another process, or another engine of this one, uses the device.
  bool is_shared();

 private:
  void join_users();
  int users();

  std::string folder_, key_, users_path_;
  std::mutex joining_;
  /// A file that every user of the device has open and locked for reading. Not open where there is
  /// none, as on a file system that cannot be written or locks nothing, so that it is not known who
  /// else learns; and in forked children.
  FileDescriptor users_;
};

}  // namespace duoblas
