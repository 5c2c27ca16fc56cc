// lapack_call.hpp's decide() and carry_out() of QR.
#pragma once

#include "lapack/lapack_call.hpp"

namespace duoblas {

/// Whether the CPU BLAS brings along what QR takes.
bool has_qr(Engine& engine, Precision precision);

/// \pre not empty; large enough for the device.
Decision decide_qr(Engine& engine, const LapackProblem& p, MatrixHome home);
LapackOutcome carry_out_qr(Engine& engine, const LapackProblem& p, const Decision& decision);

}  // namespace duoblas
