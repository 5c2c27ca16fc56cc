// Points of the tiled family that are known to be good: on GPUs in general, and where a device has
// what OpenCL does not speak of.
#pragma once

#include <optional>
#include <vector>

#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// For an untuned GPU, best first; a device takes the first that is legal there.
std::vector<KernelParams> default_tiled(Precision precision);

/// For products of few elements of C, given how many there are for each compute unit; nothing where
/// the default is best, or none is known. Not legal on every device.
std::optional<KernelParams> tiled_for_small(Precision precision, double elements_of_unit);

/// What takes the place of a built-in kernel of doubles where rows of A or B start between
/// multiples of 16 bytes in a device's memory; any other kernel as it is. Packs nothing that the
/// other does not. Not legal on every device on which the other is.
KernelParams tiled_for_odd_rows(const KernelParams& even);

/// One element per work-item and no local memory: suits every device.
KernelParams least_tiled();

/// Three TF32 products for one of floats (MathMode::tf32x3).
KernelParams default_tf32x3();
/// The same by instructions of 128 work-items: tiles of 128 x 128, and of 64 x 128.
KernelParams wide_tf32x3();
KernelParams narrow_wide_tf32x3();

/// Where tuning starts, best guesses first; not all are legal on every device.
std::vector<KernelParams> tiled_points(Precision precision);

}  // namespace duoblas
