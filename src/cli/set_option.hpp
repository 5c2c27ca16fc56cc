// `--set tile_rows=8`, for the commands that have it.
#pragma once

#include <string>
#include <vector>

#include "kernel_space/fixed_fields.hpp"

namespace duoblas::cli {

/// \throws UsageError that names the assignment that is wrong, and what there is.
FixedFields fixed_fields(const std::vector<std::string>& assignments);

}  // namespace duoblas::cli
