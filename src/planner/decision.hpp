// Who computes a call, how, and why: made once, for the outermost call,
// and then carried out as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "planner/plan.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// `programs_blas`: the BLAS that the program would use without DuoBLAS. Only the root of a
/// drop-in's call has it; what is decided beneath never goes there.
enum class Who { programs_blas, cpu, gpu, both };

/// One product of a call that is several.
struct PlannedProduct {
  GemmProblem problem;
  Plan plan;
};

/// What the CPU BLAS's own routine does, on all cores. An operand with a leading dimension over
/// `max_ld` is copied first.
struct RoutineStep {
  Level3Problem problem;
  std::int64_t max_ld = 0;
};

/// A whole call of which the device has all operands at once, from their way there to the way back
/// of the results, beside the CPU BLAS's part.
struct DeviceCall {
  Level3Problem problem;
  /// The device's part: columns (from the right rows) of C; of a triangle of C lines.
  std::int64_t gpu_extent = 0;
  Plan plan;                 ///< kernel, cores, estimates; its own extent is that of a product
  MatricesInPlace in_place;  ///< where the driver shares them
};

/// A factorisation of which the device has the matrix for the length of the call, while the CPU has
/// panels of `width` columns.
struct DeviceFactorisation {
  LapackProblem problem;
  std::int64_t width = 0;
  Plan plan;
};

using CallStep = std::variant<PlannedProduct, RoutineStep, DeviceCall, DeviceFactorisation>;

/// Seconds of the whole call by the cost model; 0: it has no estimate.
struct Estimate {
  double cpu_seconds = 0;  ///< of the CPU alone
};

/// What is to be done with a call. Making it writes nothing to C.
struct Decision {
  Who who = Who::cpu;
  Reason reason = Reason::none;
  Estimate estimate;
  Plan plan;  ///< of a call of gemm; of its kin the first and largest product's
  /// For gemm's kin, in their order; empty where there is nothing to do. Always empty for gemm,
  /// which has `plan`.
  std::vector<CallStep> steps;
  /// Of a program's call, for what is learned of it as a whole; nothing: nothing is.
  std::optional<Forecast> forecast;

  bool uses_gpu() const { return who == Who::gpu || who == Who::both; }
};

constexpr Who who_of(Strategy strategy) {
  return strategy == Strategy::hybrid ? Who::both : strategy == Strategy::gpu ? Who::gpu : Who::cpu;
}

}  // namespace duoblas
