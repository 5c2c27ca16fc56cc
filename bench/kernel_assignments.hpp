// Points of the kernel space as text: "family=1 tile_rows=8 async_copy=1 ...".
#pragma once

#include <string>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// The point `base` with the assignments of `line`. \throws SettingError naming what is wrong.
KernelParams with_assignments(KernelParams base, const std::string& line);

/// The line from which with_assignments(KernelParams{}, line) makes this kernel. It names the
/// fields that have an effect and are not at their defaults.
std::string assignments(const KernelParams& params);

}  // namespace duoblas
