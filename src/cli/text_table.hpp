// Columns of text for a terminal.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace duoblas::cli {

/// Columns as wide as their widest cell: the left ones flush left, numbers flush right.
class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print(std::ostream& out, const std::string& indent = "") const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A number with that many decimals.
std::string fixed(double value, int decimals);
/// A number with that many significant digits.
std::string significant(double value, int digits);
/// "1.23 ms", "45 us": three significant digits.
std::string duration(double seconds);
/// "8 GiB", "512 KiB".
std::string bytes(std::size_t count);

}  // namespace duoblas::cli
