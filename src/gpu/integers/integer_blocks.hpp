// The blocks of C in which a product by integers is computed, so that its scratch memory is small.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// MODULI of kernels/integers_numbers.clh.
inline constexpr int integer_moduli = 20;
/// Tiles are multiples of it.
inline constexpr std::int64_t integer_tile = 32;
/// Deeper sums of products of bytes exceed an int.
inline constexpr std::int64_t deepest_integers = std::int64_t{1} << 17;

/// What extents of scratch memory are multiples of.
struct IntegerTile {
  std::int64_t rows = integer_tile, columns = integer_tile, depth = integer_tile;
};
/// \pre is_by_integers(kernel).
IntegerTile integer_tile_of(const KernelParams& kernel);

struct IntegerBlocks {
  std::int64_t m = 0, n = 0;    ///< of a block of C, at most
  std::int64_t k = 0;           ///< of a piece of its sums, at most: each is certified by itself
  int planes = integer_moduli;  ///< moduli of which there are residues of A and B at a time
  int planes_of_launch = integer_moduli;  ///< of these, moduli of one launch of products
  IntegerTile tile;
};

/// Scratch memory of a block of m x n.
struct IntegerBytes {
  std::size_t a = 0, b = 0, products = 0;
  std::size_t sum() const { return a + b + products; }
};
IntegerBytes integer_bytes(const IntegerBlocks& blocks, std::int64_t k);

/// The product of real numbers that a complex product is; a real one as it is.
GemmProblem as_real_numbers(const GemmProblem& problem);

/// `problem`: of real numbers. `launch_bound`: seconds that a launch may take; 0: any. `tile`: of
/// the kernel. \throws DeviceError if no block is small enough.
IntegerBlocks integer_blocks(const GemmProblem& problem, const DeviceLimits& limits,
                             double launch_bound = 0, const IntegerTile& tile = {});

}  // namespace duoblas
