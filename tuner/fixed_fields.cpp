#include "tuner/fixed_fields.hpp"

#include <duoblas/error.hpp>

namespace duoblas {

void fix(FixedFields& fixed, const std::string& assignment) {
  const auto equals = assignment.find('=');
  const std::string name = assignment.substr(0, equals);
  for (const KernelField& field : kernel_fields()) {
    if (field.name != name) continue;
    std::string legal;
    for (const int value : field.values) {
      const std::string text = std::to_string(value);
      if (equals != std::string::npos && assignment.substr(equals + 1) == text) {
        fixed[name] = value;
        return;
      }
      legal += (legal.empty() ? "" : ", ") + text;
    }
    throw SettingError("give " + name + "=VALUE with one of " + legal);
  }
  throw SettingError("there is no such parameter; duoblas kernel --list names them");
}

KernelParams with(KernelParams kernel, const FixedFields& fixed) {
  for (const KernelField& field : kernel_fields())
    if (const auto found = fixed.find(std::string(field.name)); found != fixed.end())
      field.set(kernel, found->second);
  return kernel;
}

bool has(const KernelParams& kernel, const FixedFields& fixed) {
  return with(kernel, fixed) == kernel;
}

std::string assignments_text(const FixedFields& fixed) {
  std::string text;
  for (const auto& [name, value] : fixed)
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(value);
  return text;
}

}  // namespace duoblas
