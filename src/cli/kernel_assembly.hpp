// duoblas kernel --asm: what the device's compiler made of a kernel.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/kernel_choice.hpp"
#include "gpu/gpu_side.hpp"

namespace duoblas::cli {

/// Compiles the kernel and prints it as the driver gives it: text as it is, machine code of this
/// processor through objdump. With `path` the whole binary goes to that file instead, and `out` is
/// told what it holds. \throws Error where it does not compile, cannot be shown or not be written.
void print_assembly(GpuSide& gpu, const ChosenKernel& kernel, const std::string& path,
                    std::ostream& out);

}  // namespace duoblas::cli
