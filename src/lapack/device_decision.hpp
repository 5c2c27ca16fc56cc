// What decisions about factorisations with a device have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>

#include "engine/engine.hpp"
#include "lapack/lapack_call.hpp"
#include "planner/decision.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// The host's time per block of columns, for inverting and copying its triangles.
inline constexpr double seconds_of_block = 1e-4;

/// Seconds of the host; 0: not known.
struct HostSeconds {
  double panels = 0;     ///< while the device waits
  double cpu_alone = 0;  ///< the whole routine
};

/// Turns a product's plan into that of a factorisation whose matrix is on the device: the device
/// has all columns, and the panels' time is added to its own.
inline void complete(Plan& plan, const HostSeconds& host, std::int64_t columns) {
  const bool is_known = plan.expected_seconds > 0 && host.panels > 0;
  plan.expected_seconds = is_known ? plan.expected_seconds + host.panels : 0;
  plan.cpu_only_seconds = host.cpu_alone;
  plan.strategy = Strategy::hybrid;
  plan.axis = Axis::rows;
  plan.gpu_extent = columns;
  plan.entry_rows = 0;
  plan.sharing = SharingMode::staged;
  plan.forecast.reset();
}

/// Fills in who, how and why, from the first step. Without steps the decision stays as it is.
inline void decide_by_steps(Decision& decision, double cpu_seconds) {
  if (decision.steps.empty()) return;
  const CallStep& first = decision.steps.front();
  const auto* call = std::get_if<DeviceFactorisation>(&first);
  decision.plan = call != nullptr ? call->plan : std::get<PlannedProduct>(first).plan;
  decision.who = Who::both;
  decision.reason = decision.plan.reason;
  decision.estimate.cpu_seconds = cpu_seconds;
}

/// Carries out a call whose matrix the device holds. `steps` do all of it, with or without the
/// device. If its result is wrong, `again` does it on the CPU. \throws as Engine::carry_out.
inline Outcome carry_out_job(Engine& engine, const DeviceFactorisation& call,
                             const DeviceSteps& steps, const std::function<void()>& again) {
  HeldJob job{call, again};
  return engine.carry_out(products_of(call), steps, {&job, 1});
}

// Decisions of lapack_call.hpp that have files of their own.

/// Whether the CPU BLAS has the parts of LAPACK that these need.
bool has_inverse(Engine& engine, const LapackProblem& p);

/// decide() and carry_out() for these routines. \pre a getri or potri, large enough.
Decision decide_inverse(Engine& engine, const LapackProblem& p, MatrixHome home);
LapackOutcome carry_out_inverse(Engine& engine, const LapackProblem& p, const Decision& decision);

/// Whether the CPU BLAS contains the routines that QR needs.
bool has_qr(Engine& engine, Precision precision);

/// \pre not empty; large enough for the device.
Decision decide_qr(Engine& engine, const LapackProblem& p, MatrixHome home);
/// For gels without elements of A: sets the whole solution to zero. Otherwise does nothing.
void solve_empty_least_squares(const LapackProblem& p);
LapackOutcome carry_out_qr(Engine& engine, const LapackProblem& p, const Decision& decision);

}  // namespace duoblas
