// The blocked factorisations, right-looking with look-ahead: while the device updates most of what
// is behind a panel, the CPU updates and factorises the next panel (J. Dongarra, S. Tomov and
// others, on MAGMA; P. Strazdins, A comparison of lookahead and algorithmic blocking techniques for
// parallel matrix factorization, 1998).
//
// In: a problem, and the device's part of every update as it was planned; out: factors, info,
// times. Panels run on the CPU's cores, beside the device, which is reached through DeviceUpdates
// alone. What the device fails at the CPU does.
#pragma once

#include <vector>

#include "engine/device_updates.hpp"
#include "engine/engine.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// The device's part of each update, in the order of the updates; empty: the device is of no use.
/// Of LU its columns are the last ones of the matrix, and each step is one update. Of Cholesky each
/// step is two, of which the second may be empty (division.hpp).
std::vector<CallStep> lu_updates(Engine& engine, const LapackProblem& p);
std::vector<CallStep> cholesky_updates(Engine& engine, const LapackProblem& p);

/// Seconds of the calling thread: in panels, and in its work for copies to and from the device. The
/// rest of a factorisation's time is updates: its own, and waiting for the device's.
struct FactorTimes {
  double panels = 0, copies = 0;
};

struct Factored {
  int info = 0;  ///< LAPACK's
  FactorTimes times;
};

/// Do as planned. \pre there is an update. \throws as DeviceUpdates::update.
Factored factorise_lu(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
                      DeviceUpdates& device);
Factored factorise_cholesky(Engine& engine, const LapackProblem& p,
                            const std::vector<CallStep>& updates, DeviceUpdates& device);

/// The same with the matrix on a device that works on copies: all updates are the device's, but
/// where it fails. \pre as above.
Factored factorise_lu(Engine& engine, const DeviceFactorisation& call, DeviceUpdates& device);
Factored factorise_cholesky(Engine& engine, const DeviceFactorisation& call, DeviceUpdates& device);

}  // namespace duoblas
