// geqrf, orgqr and ormqr with look-ahead, on both sides, as factorisation.hpp for LU.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "lapack/factorisation.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// The matrix that reflectors are applied to, as the problem's A. For ormqr it is B, and the
/// problem's B is A.
LapackProblem reflected_matrix(const LapackProblem& p);
/// How many reflectors there are.
std::int64_t reflectors_of(const LapackProblem& p);
/// Whether H^H is applied (geqrf, Q^H B), or H.
Op op_of_reflectors(const LapackProblem& p);

/// A product with the reflectors of a panel from the left.
struct QrStep {
  Interval panel;
  Interval columns;       ///< of the reflected matrix, changed by this step
  std::int64_t next = 0;  ///< of geqrf: columns of the next panel, the first of these
};
/// The steps in order. For geqrf the last ones may have no columns.
std::vector<QrStep> qr_steps(const LapackProblem& p, std::int64_t width);

/// The device's part of each step in place, the last columns: two products, V^H C and C -= V W,
/// which may be empty. Empty: the device is of no use.
std::vector<CallStep> qr_updates(Engine& engine, const LapackProblem& p);

/// In how many of a step's columns the CPU does everything while the first of the two products
/// runs, so that it ends together with both.
std::int64_t columns_beside_first(std::int64_t rows, std::int64_t depth, std::int64_t columns,
                                  std::int64_t next);

/// With a copy of the matrix on the device. `p`: the call as given; call.problem: its
/// reflected_matrix. \throws as DeviceUpdates.
void factorise_qr(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                  DeviceUpdates& device);
void apply_q(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
             DeviceUpdates& device);

/// In the caller's memory. \pre there are updates, from qr_updates(p).
void reflect_in_place(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
                      DeviceUpdates& device);

}  // namespace duoblas
