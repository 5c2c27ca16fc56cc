// A kernel in one short line.
#pragma once

#include <string>
#include <string_view>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {

/// For tables, e.g. "panel 6x64 v16 192x256x384 packB": the tokens of the fields that the kernel's
/// family uses.
std::string describe(const KernelParams& params, KernelTable table = kernel_fields());

/// The kernel of such a line. \throws SettingError if it is none.
KernelParams kernel_from(std::string_view line, KernelTable table = kernel_fields());

}  // namespace duoblas
