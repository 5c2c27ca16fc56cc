// Parameters whose values the user gives, so that a search leaves them alone.
#pragma once

#include <map>
#include <string>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {

/// Names of the table's fields, and legal values.
using FixedFields = std::map<std::string, int>;

/// Adds "tile_rows=8", or replaces the value that is there. \throws SettingError that names the
/// field, or the values that it may have.
void fix(FixedFields& fixed, const std::string& assignment);

KernelParams with(KernelParams kernel, const FixedFields& fixed);
bool has(const KernelParams& kernel, const FixedFields& fixed);

/// "tile_rows=8, pack_b=1".
std::string assignments_text(const FixedFields& fixed);

}  // namespace duoblas
