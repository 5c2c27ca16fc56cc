// The program's calls of ?copy with elements far apart. NumPy's linalg copies each matrix so, in
// column order, before it calls LAPACK, and most results back: a solve of 8192 takes 1.3 s of 2.1
// for that on 16 cores of a Xeon, by one thread, which waits for a page and a line for each
// element.
#pragma once

#include "problem/blas_call.h"

namespace duoblas {

/// Copies by a team of threads where that was seen to be faster; 0: the program's BLAS is to copy,
/// and nothing was written.
int copy_for_program(const duoblas_copy* call) noexcept;

}  // namespace duoblas
