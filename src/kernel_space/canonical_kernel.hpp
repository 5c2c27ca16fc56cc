// Which fields of a kernel say something.
#pragma once

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {

/// The same kernel with what is meaningless in it at its default, so that equal kernels compare
/// equal: the fields that its family does not use, and those that other fields leave nothing to.
KernelParams canonical(KernelParams params, KernelTable table = kernel_fields());

/// Whether another value of the field would make another kernel.
bool matters(const KernelField& field, const KernelParams& params,
             KernelTable table = kernel_fields());

}  // namespace duoblas
