// What the system knows of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace duoblas {

struct FileStatus {
  bool is_folder = false, is_regular = false;
  bool others_may_write = false;  ///< members of its group, or anybody
  bool sets_user = false, sets_group = false;
  unsigned user = 0, group = 0;
  std::uint64_t bytes = 0, links = 0;
  std::int64_t changed = 0, changed_nanoseconds = 0;  ///< when its content was, since 1970
  std::uint64_t device = 0, number = 0;               ///< together: which file it is

  bool is_same_file(const FileStatus& other) const {
    return device == other.device && number == other.number;
  }
};

/// Nothing: there is none, or it cannot be seen; errno says why.
std::optional<FileStatus> file_status(const char* path) noexcept;
inline std::optional<FileStatus> file_status(const std::string& path) noexcept {
  return file_status(path.c_str());
}
/// Of a symbolic link itself.
std::optional<FileStatus> link_status(const std::string& path) noexcept;
/// Of an open file.
std::optional<FileStatus> file_status(int descriptor) noexcept;

/// What this process may do with a file, as its effective user.
enum class FileRight { see, read, write, execute };
/// False: errno says why.
bool may(FileRight right, const std::string& path) noexcept;
/// To list a folder, and see its files.
inline bool may_look_into(const std::string& path) noexcept {
  return may(FileRight::read, path) && may(FileRight::execute, path);
}
/// To make and remove files in a folder.
inline bool may_use_folder(const std::string& path) noexcept {
  return may(FileRight::write, path) && may(FileRight::execute, path);
}

}  // namespace duoblas
