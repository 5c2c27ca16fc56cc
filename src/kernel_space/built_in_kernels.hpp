// The kernels of products that are built in (facts/kernels.txt), by what they are for.
#pragma once

#include <span>

#include "kernel_space/built_in_rows.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// What a kernel is for; facts/kernels.txt says what that means.
enum class KernelUse {
  whole,
  small,
  by_size,
  odd_rows,
  odd_rows_packed,
  tf32x3,
  tf32x3_wide,
  batch,
  search_teams,
  search,
  refused
};

struct BuiltInKernel {
  const BuiltInRow* row = nullptr;
  KernelParams kernel;
  /// Of uses for odd rows: the kernel below which it stands in the file, and which it replaces.
  KernelParams instead_of;
};

/// In the file's order. Which of them are legal is for the caller to ask.
std::span<const BuiltInKernel> built_in_kernels(KernelUse use, Precision precision);

}  // namespace duoblas
