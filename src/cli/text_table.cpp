#include "cli/text_table.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <sstream>

namespace duoblas::cli {
namespace {

// Where the terminal's columns end: bytes that continue a UTF-8 character take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

void TextTable::print(std::ostream& out, const std::string& indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = width(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, width(row[i]));
    widths.push_back(widest);
  }
  const auto line = [&](auto cell) {
    std::string text = indent;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      text += (i > 0 ? "  " : "") + padded(cell(i), widths[i], columns_[i].align);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  line([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) line([&](std::size_t i) -> const std::string& { return row[i]; });
}

std::string padded(const std::string& text, std::size_t columns, TextTable::Align align) {
  const std::string blanks(columns - std::min(columns, width(text)), ' ');
  return align == TextTable::Align::left ? text + blanks : blanks + text;
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (&part == &parts.front() ? "" : between) + part;
  return text;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t columns,
                                 const std::string& indent) {
  std::istringstream words(text);
  std::vector<std::string> lines = {""};
  for (std::string word; words >> word;) {
    std::string& last = lines.back();
    if (!last.empty() && last.size() + 1 + word.size() > columns)
      lines.push_back(indent + word);
    else
      last += (last.empty() ? "" : " ") + word;
  }
  return lines;
}

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string significant(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return formatted("%.3g us", seconds * 1e6);
  if (seconds < 1) return formatted("%.3g ms", seconds * 1e3);
  return formatted("%.3g s", seconds);
}

std::string bytes(std::size_t count) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(count);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return formatted(value < 100 ? "%.3g " : "%.0f ", value) + kUnits[unit];
}

}  // namespace duoblas::cli
