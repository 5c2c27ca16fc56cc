// A drop-in's call as numbers, which files can hold.
#pragma once

#include <array>
#include <optional>

#include "problem/blas_call.h"

namespace duoblas {

/// Without its memory; of its scalars only whether C is read.
using CallNumbers = std::array<double, 15>;

/// \pre no memory-bound routine.
CallNumbers call_numbers(const duoblas_blas_call& call);
/// Such a call, to be planned: its matrices are nowhere, but aligned. Nothing: no call has these
/// numbers, or one has whose extents exceed an int.
std::optional<duoblas_blas_call> call_of(const CallNumbers& numbers);

}  // namespace duoblas
