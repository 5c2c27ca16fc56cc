// Elements of SVG, by which charts are drawn. What they look like is chart_style()'s.
#pragma once

#include <cmath>
#include <string>

#include "plot/chart.hpp"
#include "plot/printable_text.hpp"

namespace duoblas::svg {

/// The width of a column of text, a wide one.
inline constexpr double column = 7.2;

/// Words that take no more than so many columns.
inline std::string one_line(const std::string& words, std::size_t columns) {
  return truncated_to_width(printable(words), columns);
}

/// A place or a length, in tenths of a unit.
inline std::string at(double value) {
  return plot_number(std::round(10 * value) / 10);
}

/// \param anchor  "start", "middle" or "end": which part of the words is at x.
/// \param more    attributes, behind a blank.
inline std::string text(double x, double y, const std::string& words, const char* anchor,
                        const std::string& more = "") {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\"" + more +
         ">" + html_text(words) + "</text>\n";
}

inline std::string segment(double x1, double y1, double x2, double y2, const std::string& kind) {
  return "<line class=\"" + kind + "\" x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) +
         "\" y2=\"" + at(y2) + "\"/>\n";
}

/// Whatever is in it has the colour of this look.
inline std::string group(std::size_t look, const std::string& content) {
  return "<g class=\"look" + std::to_string(look) + "\">\n" + content + "</g>\n";
}

}  // namespace duoblas::svg
