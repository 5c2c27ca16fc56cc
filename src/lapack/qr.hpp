// geqrf, orgqr and ormqr, as factorisation.hpp has LU: with look-ahead, on both sides.
#pragma once

#include "lapack/factorisation.hpp"
#include "lapack/qr_steps.hpp"

namespace duoblas {

/// With the matrix on a device that works on copies. `p`: the call as it is; call.problem: its
/// reflected_matrix. \throws as DeviceUpdates.
Factored factorise_qr(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                      DeviceUpdates& device);
Factored apply_q(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                 DeviceUpdates& device);

/// Where the matrix lies. \pre there are updates, of qr_updates(p).
Factored reflect_in_place(Engine& engine, const LapackProblem& p,
                          const std::vector<CallStep>& updates, DeviceUpdates& device);

}  // namespace duoblas
