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

/// In each type by size; of equal ones the first that is legal on a device is taken: first what
/// needs NVIDIA's instructions, last what every GPU has.
std::span<const BatchedRow> batched_table();

}  // namespace duoblas
