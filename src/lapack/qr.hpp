// geqrf, orgqr and ormqr with look-ahead, on both sides, as factorisation.hpp for LU.
#pragma once

#include <vector>

#include "lapack/factorisation.hpp"
#include "lapack/qr_steps.hpp"

namespace duoblas {

/// With a copy of the matrix on the device. `p`: the call as given; call.problem: its
/// reflected_matrix. \throws as DeviceUpdates.
Factored factorise_qr(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                      DeviceUpdates& device);
Factored apply_q(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                 DeviceUpdates& device);

/// In the caller's memory. \pre there are updates, from qr_updates(p).
Factored reflect_in_place(Engine& engine, const LapackProblem& p,
                          const std::vector<CallStep>& updates, DeviceUpdates& device);

}  // namespace duoblas
