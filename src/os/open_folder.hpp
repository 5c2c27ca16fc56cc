// A folder that is held open: its files are reached by name, wherever it is moved, and a file is
// replaced at once.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "os/file_descriptor.hpp"
#include "os/file_status.hpp"

namespace duoblas {

/// This user's, and nobody else can have written it.
bool is_private(const FileStatus& status) noexcept;

class OpenFolder {
 public:
  /// Not open.
  OpenFolder() = default;
  /// Where it cannot be opened, errno says why.
  explicit OpenFolder(const std::string& path) noexcept;

  bool is_open() const { return folder_.get() >= 0; }
  std::optional<FileStatus> status() const noexcept { return file_status(folder_.get()); }

  /// A regular file that is private, to read; not open where it is not such.
  FileDescriptor open_private(const char* name, FileStatus* about = nullptr) const noexcept;
  /// Throws only what `take` throws.
  void for_each_name(const std::function<void(const char*)>& take) const;
  /// The file then consists of these parts, or is as it was. 0, or errno. Not on the disk yet.
  int replace(const std::string& name, std::span<const std::string_view> parts) const;

 private:
  FileDescriptor folder_;
};

}  // namespace duoblas
