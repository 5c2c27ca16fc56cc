// C = beta C: all that remains of a product whose own terms are zero.
#pragma once

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// C = beta C, on the calling thread. beta == 0 writes zeros and reads nothing. A, B, alpha and k
/// are ignored.
void scale_c(const GemmProblem& p) noexcept;

}  // namespace duoblas
