#include "bench/kernel_assignments.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <duoblas/error.hpp>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_fields.hpp"

namespace duoblas {

KernelParams with_assignments(KernelParams base, const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const auto fields = kernel_fields();
    const auto field = std::ranges::find(fields, word.substr(0, equals), &KernelField::name);
    int value = 0;
    const char* first = word.data() + std::min(word.size(), equals + 1);
    const char* last = word.data() + word.size();
    const auto parsed = std::from_chars(first, last, value);
    if (equals == std::string::npos || field == fields.end() || parsed.ptr != last ||
        parsed.ec != std::errc() || !field->is_legal(value))
      throw SettingError("\"" + word + "\" is not a kernel field with a legal value");
    field->set(base, value);
  }
  return base;
}

std::string assignments(const KernelParams& given) {
  const KernelParams params = canonical(given);
  std::string line;
  for (const KernelField& field : kernel_fields()) {
    if (field.get(params) == field.default_value()) continue;
    if (!line.empty()) line += ' ';
    line += std::string(field.name) + '=' + std::to_string(field.get(params));
  }
  return line;
}

}  // namespace duoblas
