// Points of the kernel space from files: "tile_rows=8 pack_a=1 ...", one a line.
#pragma once

#include <string>
#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// One per line of the file; empty lines and those that start with # are skipped.
/// \throws SettingError.
std::vector<KernelParams> points_of_file(const std::string& path, const KernelParams& base);

}  // namespace duoblas
