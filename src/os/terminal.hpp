// The terminal behind a standard stream, and what it can show.
#pragma once

#include <cstddef>
#include <optional>

namespace duoblas {

enum class StandardStream { input = 0, output = 1, error = 2 };
inline int descriptor_of(StandardStream stream) {
  return static_cast<int>(stream);
}

bool is_terminal(int descriptor) noexcept;
/// Its width; nothing: it is no terminal.
std::optional<std::size_t> terminal_columns(int descriptor) noexcept;

}  // namespace duoblas
