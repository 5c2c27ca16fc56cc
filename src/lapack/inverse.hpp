// Decides about getri and potri, and carries them out. Used by lapack_call.cpp alone.
#pragma once

#include "lapack/lapack_call.hpp"

namespace duoblas {

/// Whether the CPU BLAS has the parts of LAPACK that these need.
bool has_inverse(Engine& engine, const LapackProblem& p);

/// decide() and carry_out() for these routines. \pre a getri or potri, large enough.
Decision decide_inverse(Engine& engine, const LapackProblem& p, MatrixHome home);
LapackOutcome carry_out_inverse(Engine& engine, const LapackProblem& p, const Decision& decision);

}  // namespace duoblas
