// Which of LAPACK's routines make an inverse of factors.
#pragma once

#include "problem/lapack_problem.hpp"

namespace duoblas {

/// inv(A) takes the place of A's factors.
constexpr bool inverts(LapackRoutine r) {
  return r == LapackRoutine::getri || r == LapackRoutine::potri;
}

}  // namespace duoblas
