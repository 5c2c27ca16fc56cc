// The kernels of GPUs for batches, by element type and size.
#pragma once

#include <span>

#include "problem/precision.hpp"

namespace duoblas {

struct BatchedRow {
  Precision precision;
  int most;            ///< for shapes whose square root of m n is that at most
  const char* kernel;  ///< as kernel_assignments.hpp reads it and bench_batched prints it
};

/// Sorted by type, then by size. Among rows of equal type and size the first that is legal on the
/// device is taken: kernels with NVIDIA's instructions stand first, kernels for every GPU last.
std::span<const BatchedRow> batched_table();

}  // namespace duoblas
