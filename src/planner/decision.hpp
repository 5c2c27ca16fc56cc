// Who computes a call, how, and why. A decision is made once, for the outermost call, and then
// carried out as it is.
//
// The functions decide() of engine, level3 and lapack make one; carry_out() of the same folder
// takes it. It is a value: it holds pointers to the caller's matrices, and neither reads nor writes
// them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "planner/plan.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// `programs_blas`: the BLAS that the program would use without DuoBLAS. Only a whole call of a
/// drop-in goes there, never a part of one.
enum class Who { programs_blas, cpu, gpu, both };

/// One product of a call that consists of several.
struct PlannedProduct {
  GemmProblem problem;
  Plan plan;
};

/// A part that the CPU BLAS's own routine does, on all cores. Operands with a leading dimension
/// over `max_ld` are copied first.
struct RoutineStep {
  Level3Problem problem;
  std::int64_t max_ld;      ///< the CPU BLAS's
  bool by_inverse = false;  ///< a trsm: multiplied by the inverse of A, with the cores of a job
};

/// A level-3 call that the device does as one job: it gets all operands, computes, and sends the
/// results back, while the CPU BLAS does its part.
struct DeviceCall {
  Level3Problem problem;
  /// The device's part: columns of C (right-hand sides), or lines of a triangle of C.
  std::int64_t gpu_extent = 0;
  Plan plan;                 ///< kernel, cores, estimates; its own extent is that of a product
  MatricesInPlace in_place;  ///< where the driver shares them
};

/// A factorisation whose matrix is on the device for the length of the call. The CPU factorises
/// panels of `width` columns.
struct DeviceFactorisation {
  LapackProblem problem;
  std::int64_t width = 0;
  Plan plan;
};

using CallStep = std::variant<PlannedProduct, RoutineStep, DeviceCall, DeviceFactorisation>;

/// The first step of this kind; null: there is none.
template <typename Step>
const Step* first_of(const std::vector<CallStep>& steps) {
  for (const CallStep& step : steps)
    if (const auto* found = std::get_if<Step>(&step)) return found;
  return nullptr;
}

/// Seconds of the whole call by each side, as far as is known; 0: it is not.
struct Estimate {
  double cpu_seconds = 0;     ///< of the CPU alone
  double device_seconds = 0;  ///< as decided, with the device

  /// What the device is expected to save: nothing, where it is expected to be slower. Where that is
  /// to be found out, a guess: a tenth of the CPU's time.
  double gain() const {
    constexpr int guessed_part = 10;
    const bool is_known = device_seconds > 0;
    return is_known ? std::max(0.0, cpu_seconds - device_seconds) : cpu_seconds / guessed_part;
  }
};
inline Estimate estimate_of(const Plan& plan) {
  if (!plan.forecast) return {plan.cpu_only_seconds, plan.expected_seconds};
  return {plan.cpu_only_seconds, plan.forecast->explores ? 0 : plan.forecast->best_seconds};
}

constexpr Who who_of(Strategy strategy) {
  return strategy == Strategy::hybrid ? Who::both : strategy == Strategy::gpu ? Who::gpu : Who::cpu;
}

/// What is to be done with a call. Making it writes nothing to C.
struct Decision {
  Who who = Who::cpu;
  Reason reason = Reason::none;
  Estimate estimate;
  Plan plan;  ///< of gemm and gemv; otherwise of the first and largest product
  /// For other calls than gemm, in their order; empty if there is nothing to do. gemm has only
  /// `plan`.
  std::vector<CallStep> steps;

  bool uses_gpu() const { return who == Who::gpu || who == Who::both; }
  /// Of a call that is its plan.
  void follow_plan() {
    who = who_of(plan.strategy);
    reason = plan.reason;
    estimate = estimate_of(plan);
  }
};

}  // namespace duoblas
