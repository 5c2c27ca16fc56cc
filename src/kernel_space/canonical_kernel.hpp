// Which fields of a kernel have an effect.
#pragma once

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {

/// The same kernel with every field that has no effect at its default, so that equal kernels
/// compare equal. A field has no effect if the family does not use it, or if other fields leave it
/// nothing to do.
KernelParams canonical(KernelParams params, KernelTable table = kernel_fields());

/// Whether another value of the field would make another kernel.
bool matters(const KernelField& field, const KernelParams& params,
             KernelTable table = kernel_fields());

}  // namespace duoblas
