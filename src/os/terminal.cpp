#include "os/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace duoblas {

bool is_terminal(int descriptor) noexcept {
  return ::isatty(descriptor) == 1;
}

std::optional<std::size_t> terminal_columns(int descriptor) noexcept {
  constexpr std::size_t usual = 80;
  if (!is_terminal(descriptor)) return std::nullopt;
  winsize size = {};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : usual;
}

}  // namespace duoblas
