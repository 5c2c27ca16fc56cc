// The built-in kernels of the tiled family (facts/kernels.txt): for GPUs in general, and for
// devices with instructions that OpenCL has no query for.
#pragma once

#include <vector>

#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// For an untuned GPU, best first; a device takes the first that is legal there.
std::vector<KernelParams> default_tiled(Precision precision);

/// The kernel to use instead of a built-in one if rows of A or B do not start at multiples of 16
/// bytes in a device's memory; any other kernel as it is. It packs nothing that the other does not
/// pack. Not legal on every device on which the other is.
KernelParams tiled_for_odd_rows(const KernelParams& even, Precision precision, Op op_a, Op op_b);

/// 64 work-items and few registers.
KernelParams small_tiled();
/// One element per work-item and no local memory: suits every device.
KernelParams least_tiled();

/// Three TF32 products instead of one of floats (MathMode::tf32x3). A complex product is a real
/// one.
KernelParams default_tf32x3(Precision precision = Precision::s);

/// Where tuning starts, best guesses first; not all are legal on every device.
std::vector<KernelParams> tiled_points(Precision precision);

}  // namespace duoblas
