#include "os/terminal.hpp"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

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

bool locale_is_utf8() noexcept {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const bool utf8 = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return utf8;
}

}  // namespace duoblas
