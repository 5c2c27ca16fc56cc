// Turns a kernel and a share into a plan for one problem: adapts and rounds them.
#include "planner/plan_choice.hpp"

#include <cstddef>
#include <cstdint>

#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "planner/planned_partition.hpp"
#include "planner/recent_decisions.hpp"

namespace duoblas {
namespace {

bool transposes(Op op) {
  return op != Op::none;
}

/// A tuned kernel, for a product of this type on this device.
struct WantedKernel {
  KernelParams kernel;
  bool is_foreign = false;  ///< of another type, or of an arithmetic that only a caller chooses
  bool packs_a = false, packs_b = false;  ///< whatever it did where it was tuned
  Precision precision = Precision::s;
  DeviceLimits device;

  friend bool operator==(const WantedKernel&, const WantedKernel&) = default;
};

KernelParams usable(const WantedKernel& wanted) {
  const auto built_in = [&] { return default_kernel(wanted.precision, wanted.device); };
  KernelParams kernel = wanted.is_foreign ? built_in() : wanted.kernel;
  kernel.pack_a |= wanted.packs_a;
  kernel.pack_b |= wanted.packs_b;
  return is_legal(kernel, wanted.precision, wanted.device) ? kernel : built_in();
}

// A plan asks twice, and one takes as long as all the rest of a plan: 5,000 instructions for
// the rules, 50,000 where the built-in kernels are read.
constexpr RecentDecisions<WantedKernel, KernelParams, 64> usable_kernels;

std::size_t hash_of(const WantedKernel& wanted) {
  const KernelParams& k = wanted.kernel;
  std::uint64_t word = 0;
  for (const int field :
       {k.tile_rows, k.tile_cols, k.group_rows, k.group_cols, k.block_m, k.block_n, k.block_k,
        k.k_unroll, k.vector_width, static_cast<int>(k.family), static_cast<int>(wanted.precision),
        (wanted.is_foreign ? 4 : 0) + (wanted.packs_a ? 2 : 0) + (wanted.packs_b ? 1 : 0)})
    word = (word + static_cast<std::uint64_t>(field)) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(word >> 32);
}

KernelParams usable_here(const WantedKernel& wanted) {
  const std::size_t hash = hash_of(wanted);
  if (const KernelParams* known = usable_kernels.find(wanted, hash)) return *known;
  const KernelParams kernel = usable(wanted);
  usable_kernels.keep(wanted, hash, kernel);
  return kernel;
}

}  // namespace

Plan cpu_plan(const CpuConfig& config, Reason reason) {
  Plan plan;
  plan.strategy = Strategy::cpu;
  plan.cpu = config;
  plan.reason = reason;
  return plan;
}

Plan plan_choice(const GemmProblem& problem, const PlanMachine& machine, const TunedChoice& choice,
                 Reason reason) {
  if (problem.empty()) return cpu_plan(machine.cpu_all_for(problem.precision), Reason::no_elements);
  const PlannedPartition partition = planned_partition(problem, choice.kernel, choice.share);
  return plan_choice(problem, machine, choice, partition, reason);
}

Plan plan_choice(const GemmProblem& problem, const PlanMachine& machine, const TunedChoice& choice,
                 const PlannedPartition& partition, Reason reason) {
  if (partition.gpu_extent == 0)
    return cpu_plan(machine.cpu_all_for(problem.precision), Reason::share_below_tile);
  Plan plan;
  plan.strategy = partition.is_split(problem) ? Strategy::hybrid : Strategy::gpu;
  plan.axis = partition.axis;
  plan.gpu_extent = partition.gpu_extent;
  plan.share = choice.share;
  plan.kernel = choice.kernel;
  plan.sharing = choice.sharing;
  plan.cpu = machine.cpu_for(problem.precision);
  plan.reason = reason;
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
  // A profile may use sharing that this driver was not verified for, but not the reverse.
  if (machine.sharing == SharingMode::staged) adapted.sharing = SharingMode::staged;
  // How another device reached its memory says nothing about this one.
  if (machine.tuned(problem.precision).match < ProfileMatch::device)
    adapted.sharing = machine.sharing;
  // The caller chooses an opt-in arithmetic (PlanRequest::math), never a file. An operand in the
  // other orientation that is read in place may be many times slower.
  adapted.kernel = usable_here(
      {choice.kernel,
       tuned_at.precision != problem.precision || choice.kernel.matrix == MatrixUnit::tf32x3,
       transposes(tuned_at.op_a) != transposes(problem.op_a),
       transposes(tuned_at.op_b) != transposes(problem.op_b), problem.precision, machine.device});
  return adapted;
}

Plan on_all_cores(const GemmProblem& problem, const PlanMachine& machine, Reason reason) {
  return cpu_plan(machine.cpu_all_for(problem.precision), reason);
}

TunedChoice choice_of(const CallEstimate* tuned, const TunedChoice TunedPoint::*member,
                      const GemmProblem& problem, const PlanMachine& machine) {
  if (tuned == nullptr) {
    TunedChoice choice = untuned_choice(problem.precision, machine);
    choice.kernel = built_in_kernel(KernelUse::call, problem, machine.device);
    return choice;
  }
  return adapted_choice(tuned->nearest().*member, tuned->nearest(), problem, machine);
}

// Of what fits the device as a whole each part does.
GpuConfig gpu_config_of(const TunedChoice& choice, const GemmProblem& problem,
                        const PlanMachine& machine) {
  const bool staged = copies(choice.sharing);
  const bool fits =
      problem.empty() ||
      fits_at_once(problem, bytes_at_once(problem, choice.kernel, {staged, staged, staged}),
                   choice.kernel, machine.device);
  return {choice.kernel, choice.sharing, fits ? nullptr : &machine.device};
}

Plan gpu_plan(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate* tuned,
              Reason reason) {
  TunedChoice choice = choice_of(tuned, &TunedPoint::gpu, problem, machine);
  choice.share = {choice.share.parts, choice.share.parts};
  return plan_choice(problem, machine, choice, reason);
}

SplitCall best_partition(const CallEstimate& tuned, const TunedChoice& choice,
                         const GemmProblem& problem, const GpuConfig& gpu_config) {
  const SplitCall best = tuned.balanced(gpu_config);
  if (best.partition.is_split(problem)) return best;
  return {choice.share, planned_partition(problem, choice.kernel, choice.share)};
}

}  // namespace duoblas
