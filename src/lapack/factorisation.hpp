// The blocked factorisations, right-looking with look-ahead: while the device updates most of the
// matrix behind a panel, the CPU updates and factorises the next panel (J. Dongarra, S. Tomov and
// others, on MAGMA; P. Strazdins, A comparison of lookahead and algorithmic blocking techniques for
// parallel matrix factorization, 1998).
//
// In: a problem, and the device's planned part of every update. Out: factors, info, times. Panels
// run on the CPU's cores, beside the device, which is used through DeviceUpdates only. If the
// device fails, the CPU does its part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/device_updates.hpp"
#include "engine/engine.hpp"
#include "engine/saved_pieces.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// One of the planned updates.
inline const PlannedProduct& product_at(const std::vector<CallStep>& updates, std::size_t i) {
  return std::get<PlannedProduct>(updates[i]);
}

/// The device's part of each update, in order; empty: the device is of no use. For LU it is the
/// last columns of the matrix, and each step is one update. For Cholesky each step is two updates,
/// the second of which may be empty (division.hpp).
std::vector<CallStep> lu_updates(Engine& engine, const LapackProblem& p);
std::vector<CallStep> cholesky_updates(Engine& engine, const LapackProblem& p);

/// Carry out the planned updates, or as many that are divided by what earlier ones took, where the
/// engine adapts and no split is given. `most_saved`: bytes of old values that are kept for all
/// steps (saved_matrix.hpp). \pre there is an update. \return LAPACK's info. \throws as
/// DeviceUpdates::update.
int factorise_lu(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
                 DeviceUpdates& device, std::size_t most_saved = SavedPieces::most_bytes);
int factorise_cholesky(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
                       DeviceUpdates& device);

/// A solve that follows, with the device's factors.
struct SolveWithFactors {
  DeviceFactorisation job;
  bool was_begun = false;   ///< false: it is to be a job of its own
  std::int64_t solved = 0;  ///< of the first right-hand sides; the others are as they were
};

/// The same with a copy of the matrix on the device. The device does all updates unless it fails.
/// `solve` may be null. \pre as above.
int factorise_lu(Engine& engine, const DeviceFactorisation& call, DeviceUpdates& device,
                 SolveWithFactors* solve = nullptr);
int factorise_cholesky(Engine& engine, const DeviceFactorisation& call, DeviceUpdates& device,
                       SolveWithFactors* solve = nullptr);

}  // namespace duoblas
