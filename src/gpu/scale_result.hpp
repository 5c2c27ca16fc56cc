// C = beta C, where the product contributes nothing.
#pragma once

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Scales the part's C on the host: it is one pass over memory, for which no device is faster.
/// beta == 0 writes zeros and reads nothing.
void scale_result(const GemmProblem& part) noexcept;

}  // namespace duoblas
