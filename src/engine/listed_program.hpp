// The list of programs whose device starts as they begin, which the shim reads before main().
#pragma once

#include <string>

#include "problem/blas_call.h"

namespace duoblas {

/// Says whose process this is. What is called first counts. Thread-safe.
void note_program(const duoblas_program* program) noexcept;

/// Puts this program on the list below `cache_dir`, or takes it off; the oldest leave a list that
/// is full. A program that changes what drivers read as they start is never put on it. Does nothing
/// where the list cannot be written. Others that do the same at once take turns, where files have
/// locks.
void list_program(const std::string& cache_dir, bool is_listed) noexcept;

}  // namespace duoblas
