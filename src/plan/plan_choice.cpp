// A kernel and a share turned into a plan for one problem: adapted, rounded, and with its axis.
#include <cmath>

#include "plan/kernel_defaults.hpp"
#include "plan/kernel_rules.hpp"
#include "plan/planner.hpp"

namespace duoblas {
namespace {

// Rounding may move the share by one part of 16 before the other axis is looked at. Rows are
// preferred: their part of C is one slab, which drivers can share; columns are always staged.
constexpr double tolerable_rounding = 1.0 / 16;

double rounding_error(std::int64_t extent, Share share, std::int64_t tile) {
  const auto rounded = static_cast<double>(gpu_extent(extent, share, tile));
  return std::abs(rounded / static_cast<double>(extent) - share.fraction());
}

Axis choose_axis(const GemmProblem& p, const KernelParams& kernel, Share share) {
  const double rows = rounding_error(p.m, share, row_tile(kernel));
  if (rows <= tolerable_rounding) return Axis::rows;
  const double columns = rounding_error(p.n, share, col_tile(kernel));
  return columns < rows / 2 ? Axis::columns : Axis::rows;
}

bool transposes(Op op) {
  return op != Op::none;
}

}  // namespace

Plan cpu_plan(const CpuConfig& config, std::string_view reason) {
  Plan plan;
  plan.strategy = Strategy::cpu;
  plan.cpu = config;
  plan.reason = reason;
  return plan;
}

Plan plan_choice(const GemmProblem& problem, const PlanMachine& machine, const TunedChoice& choice,
                 std::string_view reason) {
  if (problem.empty()) return cpu_plan(machine.cpu_all_for(problem.precision), "C has no element");
  Plan plan;
  plan.share = choice.share;
  plan.kernel = choice.kernel;
  plan.sharing = choice.sharing;
  plan.cpu = machine.cpu_for(problem.precision);
  plan.reason = reason;
  plan.axis = choose_axis(problem, choice.kernel, choice.share);
  const bool rows = plan.axis == Axis::rows;
  const std::int64_t extent = rows ? problem.m : problem.n;
  plan.gpu_extent =
      gpu_extent(extent, choice.share, rows ? row_tile(choice.kernel) : col_tile(choice.kernel));
  if (plan.gpu_extent == 0)
    return cpu_plan(machine.cpu_all_for(problem.precision), "the GPU's share is less than a tile");
  plan.strategy = plan.gpu_extent == extent ? Strategy::gpu : Strategy::hybrid;
  return plan;
}

TunedChoice untuned_choice(Precision precision, const PlanMachine& machine) {
  TunedChoice choice;
  choice.kernel = default_kernel(precision, machine.device);
  choice.sharing = machine.sharing;
  choice.share = {8, 16};
  return choice;
}

TunedChoice adapted_choice(const TunedChoice& choice, const TunedPoint& tuned_at,
                           const GemmProblem& problem, const PlanMachine& machine) {
  TunedChoice adapted = choice;
  // A profile may know of sharing that this driver was not verified for, never the reverse.
  if (machine.sharing == SharingMode::staged) adapted.sharing = SharingMode::staged;
  // How another device reached its memory says nothing about this one.
  if (machine.match < ProfileMatch::device) adapted.sharing = machine.sharing;
  // An opt-in arithmetic is the caller's choice (PlanRequest::math), not a file's.
  if (tuned_at.precision != problem.precision || choice.kernel.matrix == MatrixUnit::tf32x3)
    adapted.kernel = default_kernel(problem.precision, machine.device);
  // Read in place, an operand in the other orientation may be many times slower.
  if (transposes(tuned_at.op_a) != transposes(problem.op_a)) adapted.kernel.pack_a = true;
  if (transposes(tuned_at.op_b) != transposes(problem.op_b)) adapted.kernel.pack_b = true;
  if (violated_rule(adapted.kernel, problem.precision, machine.device) != nullptr)
    adapted.kernel = default_kernel(problem.precision, machine.device);
  return adapted;
}

}  // namespace duoblas
