// A kernel in one short line.
#pragma once

#include <string>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {

/// For tables, e.g. "panel 6x64 v16 192x256x384 packB": the tokens of the fields that the kernel's
/// family uses.
std::string describe(const KernelParams& params, KernelTable table = kernel_fields());

}  // namespace duoblas
