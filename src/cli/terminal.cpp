#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace duoblas::cli {

std::optional<std::size_t> terminal_columns(int descriptor) {
  constexpr std::size_t usual = 80;
  if (::isatty(descriptor) != 1) return std::nullopt;
  winsize size = {};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : usual;
}

}  // namespace duoblas::cli
