// The kernels of products that are built in (facts/kernels.txt), by what they are for.
#pragma once

#include <span>
#include <string_view>

#include "kernel_space/built_in_rows.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// What a kernel is for; facts/kernels.txt says what that means.
enum class KernelUse {
  whole,
  small,
  by_size,
  call,
  resident,
  update,
  narrow_update,
  last_tiles,
  odd_rows,
  odd_rows_packed,
  tf32x3,
  tf32x3_wide,
  batch,
  integers,
  search_integers,
  search_teams,
  search,
  refused
};

/// As the file names it. \pre of use_named: there is one of this name.
KernelUse use_named(std::string_view name);
std::string_view name(KernelUse use);

struct BuiltInKernel {
  const BuiltInRow* row = nullptr;
  /// Not of rows that say when the built-in kernel of a use is taken, or that its last tiles are
  /// split.
  KernelParams kernel;
  /// Of `call` and of uses for odd rows: the kernel below which it stands in the file, and which it
  /// replaces.
  KernelParams instead_of;
};

/// In the file's order. Which of them are legal is for the caller to ask.
std::span<const BuiltInKernel> built_in_kernels(KernelUse use, Precision precision);

}  // namespace duoblas
