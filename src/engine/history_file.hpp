// A few numbers for each of many keys, kept in one file that does not grow beyond its bound.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace duoblas {

/// A file of DUOBLAS_CACHE_DIR for all processes of a user. It holds hashes of keys, with a salt of
/// its own: from a key that somebody guesses nobody can tell whether it is there. Where it cannot
/// be read or written, nothing is kept.
class HistoryFile {
 public:
  using Numbers = std::vector<double>;

  /// `folder` empty: keeps nothing. Beyond `most` records the oldest ones go; the default is some
  /// 1 MB.
  explicit HistoryFile(std::string folder, std::size_t most = 8000)
      : folder_(std::move(folder)), most_(most) {}

  /// What was stored last; nothing if there is nothing, or not as many numbers as `count`.
  std::optional<Numbers> find(const std::string& key, std::size_t count) const;
  /// Adds these to what other processes have stored by now, and replaces the file at once.
  void store(const std::vector<std::pair<std::string, Numbers>>& records) const;

 private:
  std::string folder_;
  std::size_t most_;
};

}  // namespace duoblas
