// Names that come from drivers and files, made fit to be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace duoblas {

/// The text with a '?' for each byte that is no UTF-8 and each control character, so that it is one
/// line and moves no cursor.
std::string printable(std::string_view text);

/// How many columns a terminal takes for printable text. Wide writing counts two; so do some
/// narrow characters from U+1100 on, since a line that is too short does no harm.
std::size_t terminal_width(std::string_view text);

/// Printable text cut to at most `columns`, between characters.
std::string cut_to_width(std::string_view text, std::size_t columns);

/// The text as HTML and SVG show it, in elements and in quoted attributes; printable().
std::string html_text(std::string_view text);

}  // namespace duoblas
