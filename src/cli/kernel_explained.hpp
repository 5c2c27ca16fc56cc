// A kernel as a file to read: every parameter and option explained, then the source as compiled.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/kernel_choice.hpp"
#include "kernel_space/kernel_fields.hpp"

namespace duoblas::cli {

using Lines = std::vector<std::string>;

/// Columns of a line of a listing behind the comment's sign; 100 in all.
constexpr std::size_t kColumns = 97;

/// By group, the parameters that have an effect in this kernel.
Lines parameters_explained(const KernelParams& params, KernelTable table = kernel_fields());
/// The options of kernel_options() that are no parameters.
Lines options_explained(const std::string& options, KernelTable table = kernel_fields());

/// All parameters with their values and meanings, and the rules that kernels meet.
void print_kernel_space(std::ostream& out, KernelTable table = kernel_fields());

/// "sgemm tn"
std::string name_of(const KernelVariant& variant);

/// The kernels that a product of this variant runs, in order.
std::vector<std::string> kernels_of(const KernelVariant& variant);

/// A comment that ends with an empty line, its first; what follows is kernel_source(), unchanged.
void print_kernel(const ChosenKernel& kernel, const std::vector<KernelFile>& files,
                  std::ostream& out);

}  // namespace duoblas::cli
