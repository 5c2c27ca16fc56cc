// Text for a terminal: columns, lists, lines, and numbers with units.
#pragma once

#include <cstddef>
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

/// The text with blanks up to so many columns of a terminal.
std::string padded(const std::string& text, std::size_t columns,
                   TextTable::Align align = TextTable::Align::left);
/// "a, b, c".
std::string joined(const std::vector<std::string>& parts, const std::string& between = ", ");
/// Words in lines of so many columns, one line at least; later lines begin with the indent.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns,
                                 const std::string& indent = "");

/// A number with that many decimals.
std::string fixed(double value, int decimals);
/// A number with that many significant digits.
std::string significant(double value, int digits);
/// "1.23 ms", "45 us": three significant digits.
std::string duration(double seconds);
/// "8 GiB", "512 KiB".
std::string bytes(std::size_t count);

}  // namespace duoblas::cli
