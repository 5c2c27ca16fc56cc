// A tree of small text files, such as the kernel's /sys.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace duoblas::power {

class SysfsTree {
 public:
  SysfsTree() = default;
  explicit SysfsTree(std::string root) : root_(std::move(root)) {}

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

 private:
  std::string root_ = "/sys";
};

}  // namespace duoblas::power
