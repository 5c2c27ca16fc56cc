// What a kernel takes of a device's registers and local memory, estimated before it is compiled.
#pragma once

#include <cstdint>

#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// Work-items of a group of the packing kernels that go with tiled ones (PACK_EDGE * PACK_ROWS of
/// kernels/tiled_pack.cl).
inline constexpr int tiled_packing_items = 128;

/// The element type that the product's loops work on. For a complex product that is computed as a
/// real one (KernelParams::as_real) it is the type of the parts.
Precision loop_precision(const KernelParams& params, Precision precision);

/// Vector registers that the inner loop of a panel kernel keeps live.
int live_vectors(const KernelParams& params, Precision precision);
/// 32-bit registers per work-item that a tiled kernel needs at least: sums, fragments, and the
/// share of a slice that waits in registers.
int live_words(const KernelParams& params, Precision precision);
/// Registers that a work-item may use so that `resident_groups` groups fit a multiprocessor's 65536
/// (NVIDIA); at most 255. 0: no limit is asked for.
int register_share(const KernelParams& params);
/// Local memory of a tiled kernel: the slices of its teams, or the sums that half of the teams hand
/// over.
std::int64_t local_bytes(const KernelParams& params, Precision precision);
/// Steps of k in a slice of a tiled kernel: those of bytes count in fours.
int slice_depth(const KernelParams& params);
/// Steps of k in one iteration of a tiled kernel's multiply loop.
int steps_per_turn(const KernelParams& params, Precision precision);
/// Multiply-adds of numbers that are written out one after another in the code.
std::int64_t unrolled_madds(const KernelParams& params, Precision precision);
/// Roughly how long the code of a tiled kernel is, counted in loads and stores that check each
/// number against the matrix's edges. A sum has two versions of its store. An operand that is not
/// in local memory is loaded number by number at every step. A multiply-add counts as a quarter.
std::int64_t code_length(const KernelParams& params, Precision precision);

}  // namespace duoblas
