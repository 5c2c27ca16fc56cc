// The library's own small files on disk, such as compiled kernels. A file is found by a hash of its
// key, and used only if the whole key, the owner and the checksum agree.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/open_folder.hpp"

namespace duoblas::cl {

/// A private directory, open. Made (with its parents, mode 0700) if it does not exist.
class CacheDirectory {
 public:
  /// Not usable if it cannot be made or opened, belongs to another user, or others may write it.
  CacheDirectory(const std::string& path, std::string& problem);
  explicit CacheDirectory(const std::string& path, std::string&& unasked = {})
      : CacheDirectory(path, unasked) {}
  CacheDirectory(const CacheDirectory&) = delete;
  CacheDirectory& operator=(const CacheDirectory&) = delete;

  bool usable() const { return folder_.is_open(); }
  /// The content stored under this key; empty if there is none or the file is not intact.
  std::vector<unsigned char> load(const std::string& key) const;
  /// The contents of all files that are intact, whatever their keys.
  std::vector<std::vector<unsigned char>> load_all() const;
  /// Replaces the file atomically. Empty on success, else what went wrong.
  std::string store(const std::string& key, const std::vector<unsigned char>& content) const;

  /// The first bytes of a file that has no key, for who reads it without this class. Empty, too, if
  /// it is not the user's alone.
  std::string text(const char* name, std::size_t most_bytes) const;
  /// Replaces such a file, which consists of these parts, at once. 0, or errno.
  int replace(const std::string& name, std::span<const std::string_view> parts) const;

 private:
  std::vector<unsigned char> read(const char* name, const std::string* key) const;

  OpenFolder folder_;
};

/// The file's name for a key.
std::string cache_file_name(const std::string& key);

}  // namespace duoblas::cl
