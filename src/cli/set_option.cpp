#include "cli/set_option.hpp"

#include <duoblas/error.hpp>

#include "cli/arguments.hpp"

namespace duoblas::cli {

FixedFields fixed_fields(const std::vector<std::string>& assignments) {
  FixedFields fixed;
  for (const std::string& assignment : assignments) {
    try {
      fix(fixed, assignment);
    } catch (const SettingError& error) {
      throw UsageError("--set " + assignment + ": " + error.what());
    }
  }
  return fixed;
}

}  // namespace duoblas::cli
