// B = alpha op(A) on the CPU. BLAS libraries have no such routine, or one that uses one core.
#pragma once

#include "problem/copy_problem.hpp"

namespace duoblas {

/// On at most `threads` threads (0: as many as affinity and the cgroup allow). alpha == 0: A is not
/// read.
void copy_matrix(const CopyProblem& problem, int threads);

}  // namespace duoblas
