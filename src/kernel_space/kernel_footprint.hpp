// What a kernel takes of a device's registers and local memory, estimated before it is compiled.
#pragma once

#include <cstdint>

#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// Work-items of the group in which the kernels pack that go with tiled ones (PACK_EDGE * PACK_ROWS
/// of kernels/tiled_pack.cl).
inline constexpr int tiled_packing_items = 128;

/// The element type that the product's loops work on: of a complex product that is computed as a
/// real one (KernelParams::as_real), that of the parts.
Precision loop_precision(const KernelParams& params, Precision precision);

/// Vector registers that the inner loop of a panel kernel keeps live.
int live_vectors(const KernelParams& params, Precision precision);
/// 32-bit registers per work-item that a tiled kernel needs at least: sums, fragments, and the
/// share of a slice that waits in registers.
int live_words(const KernelParams& params, Precision precision);
/// Registers that a work-item may have where `resident_groups` are to share a multiprocessor's
/// 65536 (NVIDIA); 255 at most. 0: no limit is asked for.
int register_share(const KernelParams& params);
/// Local memory of a tiled kernel: its teams' slices, or the sums that half of them hand over.
std::int64_t local_bytes(const KernelParams& params, Precision precision);
/// Steps of k that one turn of a tiled kernel's multiply loop takes.
int steps_per_turn(const KernelParams& params, Precision precision);
/// Multiply-adds of numbers that are written out one after another in the code.
std::int64_t unrolled_madds(const KernelParams& params, Precision precision);
/// How long the code of a tiled kernel is, roughly, in the loads and stores that check each number
/// against the matrix's edges: a sum is stored in one of two ways, an operand that is not in local
/// memory is loaded number by number at every step, and a multiply-add is a quarter of that.
std::int64_t code_length(const KernelParams& params, Precision precision);

}  // namespace duoblas
