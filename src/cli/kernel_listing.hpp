// A kernel as a file to read: every parameter and option explained, then the source as compiled.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/kernel_choice.hpp"

namespace duoblas::cli {

/// "sgemm tn"
std::string name_of(const KernelVariant& variant);

/// The kernels that a product of this variant runs, in order.
std::vector<std::string> kernels_of(const KernelVariant& variant);

/// A comment that ends with an empty line, its first; what follows is kernel_source(), unchanged.
void print_kernel(const ChosenKernel& kernel, const std::vector<KernelFile>& files,
                  std::ostream& out);

}  // namespace duoblas::cli
