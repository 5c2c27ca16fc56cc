// decide() and carry_out() of lapack_call.hpp for QR.
#pragma once

#include "lapack/lapack_call.hpp"

namespace duoblas {

/// Whether the CPU BLAS contains the routines that QR needs.
bool has_qr(Engine& engine, Precision precision);

/// \pre not empty; large enough for the device.
Decision decide_qr(Engine& engine, const LapackProblem& p, MatrixHome home);
/// For gels without elements of A: sets the whole solution to zero. Otherwise does nothing.
void solve_empty_least_squares(const LapackProblem& p);
LapackOutcome carry_out_qr(Engine& engine, const LapackProblem& p, const Decision& decision);

}  // namespace duoblas
