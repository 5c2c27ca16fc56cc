#include "cli/sparkline.hpp"

#include <langinfo.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace duoblas::cli {

std::string sparkline(const std::vector<double>& values, std::size_t columns, bool blocks) {
  static constexpr std::array<const char*, 8> tall = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<const char*, 8> plain = {".", ":", "-", "=", "+", "*", "%", "#"};
  const std::array<const char*, 8>& bars = blocks ? tall : plain;
  if (values.empty()) return "";
  const double most = std::ranges::max(values);
  std::string line;
  for (std::size_t i = values.size() - std::min(columns, values.size()); i < values.size(); ++i) {
    if (!(values[i] > 0)) {
      line += ' ';
      continue;
    }
    const double height = std::ceil(values[i] / most * static_cast<double>(bars.size()));
    line += bars[static_cast<std::size_t>(std::clamp(height, 1.0, 8.0)) - 1];
  }
  return line;
}

bool locale_is_utf8() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const bool utf8 = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return utf8;
}

}  // namespace duoblas::cli
