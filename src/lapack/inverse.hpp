// getri and potri: what decides about them and carries them out. Used by lapack_call.cpp alone.
#pragma once

#include "lapack/lapack_call.hpp"

namespace duoblas {

/// Whether the CPU BLAS has what is needed of LAPACK for these.
bool has_inverse(Engine& engine, const LapackProblem& p);

/// As decide() and carry_out() have it. \pre a getri or potri, large enough.
Decision decide_inverse(Engine& engine, const LapackProblem& p, MatrixHome home);
LapackOutcome carry_out_inverse(Engine& engine, const LapackProblem& p, const Decision& decision);

}  // namespace duoblas
