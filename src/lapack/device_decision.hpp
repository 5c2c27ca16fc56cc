// What decisions about factorisations with a device have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "engine/engine.hpp"
#include "facts/rates.hpp"
#include "lapack/division.hpp"
#include "lapack/lapack_call.hpp"
#include "planner/decision.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// The host's time for inverting and copying the triangles of its blocks of so many columns.
inline double seconds_of_blocks(std::int64_t order, std::int64_t width) {
  return rates::seconds_of_block * static_cast<double>(order) / static_cast<double>(width);
}

/// Seconds of the host; 0: not known.
struct HostSeconds {
  double panels = 0;     ///< while the device waits
  double cpu_alone = 0;  ///< the whole routine
};

/// A product with as many flops as the routine, on operands that are as large. Its plan has their
/// copies.
inline GemmProblem whole_product(const LapackProblem& p, std::int64_t rows, std::int64_t columns) {
  GemmProblem product;
  product.precision = p.precision;
  product.m = rows;
  product.n = product.ldb = product.ldc = columns;
  product.k = 1;
  product.k = product.lda = std::max<std::int64_t>(1, std::llround(flops(p) / flops(product)));
  return product;
}

/// A product's plan for both sides of a call of LAPACK, of which the device has so many columns.
inline Plan with_columns(Plan plan, std::int64_t columns) {
  plan.strategy = Strategy::hybrid;
  plan.axis = Axis::rows;
  plan.gpu_extent = columns;
  plan.entry_rows = 0;
  plan.forecast.reset();
  return plan;
}

/// What the steps of a factorisation in place take, where no split is given.
inline StepCosts step_costs(const Engine& engine, const Plan& plan) {
  return StepCosts(plan, engine.settings().adapt && !engine.plans().request().forces_split());
}

/// The call, with its matrix on the device, which has all columns; nothing: it is of no use there,
/// or has no room. Its plan is that of the whole product.
inline std::optional<DeviceFactorisation> held_by_device(Engine& engine, MatrixHome home,
                                                         DeviceFactorisation&& call,
                                                         const HostSeconds& host) {
  if (!call.plan.uses_gpu() || (home == MatrixHome::any && !copies(call.plan.sharing))) return {};
  call.plan = with_columns(std::move(call.plan), call.problem.n);
  call.plan.sharing = SharingMode::staged;
  double& expected = call.plan.expected_seconds;
  expected = expected > 0 && host.panels > 0 ? expected + host.panels : 0;
  call.plan.cpu_only_seconds = host.cpu_alone;
  if (!engine.jobs().takes_at_once(call)) return {};
  return std::move(call);
}

/// Carries out a call whose matrix the device holds. `steps` do all of it, with or without the
/// device. If its result is wrong, `again` does it on the CPU. \throws as Engine::carry_out.
inline Outcome carry_out_job(Engine& engine, const DeviceFactorisation& call,
                             const DeviceSteps& steps, const std::function<void()>& again) {
  HeldJob job{call, again};
  return engine.carry_out(products_of(call), steps, {&job, 1});
}

// Decisions of lapack_call.hpp that have files of their own.

/// decide() and carry_out() for a getri. \pre large enough.
Decision decide_inverse(Engine& engine, const LapackProblem& p, MatrixHome home);
LapackOutcome carry_out_inverse(Engine& engine, const LapackProblem& p, const Decision& decision);

/// Whether the CPU BLAS contains the routines that QR needs.
bool has_qr(Engine& engine, Precision precision);

/// \pre not empty; large enough for the device.
Decision decide_qr(Engine& engine, const LapackProblem& p, MatrixHome home);
LapackOutcome carry_out_qr(Engine& engine, const LapackProblem& p, const Decision& decision);

}  // namespace duoblas
