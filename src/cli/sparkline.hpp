// A small picture of the last few numbers, one character each.
#pragma once

#include <string>
#include <vector>

namespace duoblas::cli {

/// Bars from 0 to the largest of the values, the last `columns` of them; where a value is not above
/// 0 a space. With `blocks` Unicode's, else plain characters.
std::string sparkline(const std::vector<double>& values, std::size_t columns, bool blocks);

/// Whether the user's terminal shows UTF-8.
bool locale_is_utf8();

}  // namespace duoblas::cli
