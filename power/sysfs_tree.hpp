// A tree of small text files, such as the kernel's /sys.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace duoblas::power {

class SysfsTree {
 public:
  explicit SysfsTree(std::string root = "/sys") : root_(std::move(root)) {}
  virtual ~SysfsTree() = default;

  /// The real path of the tree's `path`.
  std::string real_path(const std::string& path) const { return root_ + "/" + path; }
  /// The names in a folder, in alphabetical order; empty if there is no such folder.
  std::vector<std::string> names(const std::string& folder) const;
  bool has(const std::string& path) const;

  /// A file, up to 4096 bytes. \throws SensorError with its real path and the reason.
  std::string all_text(const std::string& path) const;
  /// Its first line.
  std::string text(const std::string& path) const;
  /// \throws SensorError also if the file does not hold a number.
  double number(const std::string& path) const;

 protected:
  /// Up to `size` bytes of a file; the bytes that were read, or -1 and errno.
  virtual long read_bytes(const std::string& real_path, char* bytes, std::size_t size) const;

 private:
  std::string root_;
};

}  // namespace duoblas::power
