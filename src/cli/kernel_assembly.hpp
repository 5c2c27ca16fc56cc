// duoblas kernel --asm: the output of the device's compiler for a kernel.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/kernel_choice.hpp"
#include "gpu/gpu_side.hpp"

namespace duoblas::cli {

/// Compiles the kernel and prints its binary: text as it is, machine code of this processor through
/// objdump. With `path` the whole binary goes to that file instead, and `out` gets a description.
/// \throws Error if it does not compile, cannot be shown or cannot be written.
void print_assembly(GpuSide& gpu, const ChosenKernel& kernel, const std::string& path,
                    std::ostream& out);

}  // namespace duoblas::cli
