// B = alpha op(A) on the CPU. BLAS libraries lack this routine, or do it on one core.
#pragma once

#include "problem/copy_problem.hpp"

namespace duoblas {

/// On at most `threads` threads (0: as many as affinity and the cgroup allow). alpha == 0: A is not
/// read.
void copy_matrix(const CopyProblem& problem, int threads);

}  // namespace duoblas
