// Which LAPACK routines compute an inverse from factors.
#pragma once

#include "problem/lapack_problem.hpp"

namespace duoblas {

/// inv(A) replaces A's factors.
constexpr bool inverts(LapackRoutine r) {
  return r == LapackRoutine::getri || r == LapackRoutine::potri;
}

}  // namespace duoblas
