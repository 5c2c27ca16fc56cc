// lapack_call.hpp's decide() and carry_out() of QR.
#pragma once

#include "lapack/lapack_call.hpp"

namespace duoblas {

/// Whether the CPU BLAS brings along what QR takes.
bool has_qr(Engine& engine, Precision precision);

/// \pre not empty; large enough for the device.
Decision decide_qr(Engine& engine, const LapackProblem& p, MatrixHome home);
/// Of gels without elements of A: zeros for all of the solution. Else nothing.
void solve_empty_least_squares(const LapackProblem& p);
LapackOutcome carry_out_qr(Engine& engine, const LapackProblem& p, const Decision& decision);

}  // namespace duoblas
