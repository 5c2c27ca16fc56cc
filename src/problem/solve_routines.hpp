// Which of LAPACK's routines solve with factors that are there.
#pragma once

#include "problem/lapack_problem.hpp"

namespace duoblas {

/// X takes the place of B; the factors are only read.
constexpr bool solves(LapackRoutine r) {
  return r == LapackRoutine::getrs || r == LapackRoutine::potrs;
}

}  // namespace duoblas
