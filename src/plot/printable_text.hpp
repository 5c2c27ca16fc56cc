// Makes names from drivers and files safe to print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace duoblas {

/// The text with a '?' for each control character and each byte that is not UTF-8, so that it is
/// one line and moves no cursor.
std::string printable(std::string_view text);

/// The columns that printable text takes on a terminal. Wide characters count two; so do some
/// narrow ones from U+1100 on, since a line that is too short does no harm.
std::size_t terminal_width(std::string_view text);

/// Printable text truncated to at most `columns`, between characters.
std::string truncated_to_width(std::string_view text, std::size_t columns);

/// The text for HTML and SVG, in elements and in quoted attributes; printable().
std::string html_text(std::string_view text);

}  // namespace duoblas
