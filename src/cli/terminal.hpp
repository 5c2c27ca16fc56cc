// The terminal that a stream ends at.
#pragma once

#include <cstddef>
#include <optional>

namespace duoblas::cli {

/// How many columns the terminal behind this descriptor has now; 80 where it does not say. Nothing
/// where there is no terminal.
std::optional<std::size_t> terminal_columns(int descriptor);

/// Whether the user's terminal shows UTF-8.
bool locale_is_utf8();

}  // namespace duoblas::cli
