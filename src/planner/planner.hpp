// From a problem to a plan: profile + limits + what calls showed -> who computes, how, and why.
//
// In: the problem's sizes (never its elements), PlanMachine (what this machine has), PlanRequest
// (what the user asked for), LearnedTimes (what earlier calls took). Out: a Plan, by value. All of
// it is pure: no clock, no lock, no device, no file. Any thread may call it. The engine owns the
// PlanMachine, which does not change while calls use it.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "kernel_space/device_limits.hpp"
#include "planner/cost_model.hpp"
#include "planner/learner.hpp"
#include "planner/plan.hpp"
#include "planner/planned_partition.hpp"
#include "planner/reason.hpp"
#include "profile/profile_match.hpp"

namespace duoblas {

/// What the user asked for; see Settings.
struct PlanRequest {
  Strategy strategy = Strategy::automatic;
  std::optional<Share> split;
  MathMode math = MathMode::exact;

  /// Speed decides: the user asked for neither a strategy nor a split. Only then is it worth
  /// knowing who is faster, and may a call be left to that side.
  bool chooses_by_speed() const { return strategy == Strategy::automatic && !split; }
  /// The GPU is used wherever it can be, however long that takes.
  bool insists_on_gpu() const { return strategy == Strategy::gpu || strategy == Strategy::hybrid; }
  /// A split is kept at every size, to single rows (Settings::forces_split).
  bool forces_split() const { return strategy == Strategy::hybrid && split.has_value(); }
  /// The same in exact arithmetic: for calls of products too small for the kernels of tf32x3.
  PlanRequest in_exact_arithmetic() const {
    PlanRequest exact = *this;
    exact.math = MathMode::exact;
    return exact;
  }
};

/// A profile that plans follow.
struct ProfileInUse {
  std::optional<Profile> profile;
  /// How much `profile` says about this machine. `device`: plans are as if tuned. Less than that:
  /// only its kernels are used, and its shares if the user asked for hybrid; `automatic` stays on
  /// the CPU unless it learns.
  ProfileMatch match = ProfileMatch::exact;
  /// Made from `profile`: use() sets both. If it is not set, every plan makes its own, which takes
  /// a tenth of a millisecond.
  std::optional<CostModel> costs;

  /// Whether the profile is this machine's own.
  bool is_tuned() const { return profile && match == ProfileMatch::exact; }
  /// Whether it is another device's.
  bool is_borrowed() const { return profile && match < ProfileMatch::device; }
  /// Uses this profile from now on, with its cost model.
  void use(Profile tuned) {
    costs.emplace(tuned);
    profile = std::move(tuned);
  }
};

/// What the planner knows of the machine. Its own profile is that of native arithmetic.
struct PlanMachine : ProfileInUse {
  bool has_gpu = false;
  Reason without_gpu = Reason::no_device;  ///< the reason of calls where there is none
  DeviceLimits device;
  SharingMode sharing = SharingMode::staged;
  /// A part of C can be shared if it begins and ends at multiples of this many bytes; 0: nothing is
  /// shared.
  std::size_t shared_bytes = 0;
  CpuConfigs cpu;            ///< of the CPU side (half of the cores in stand-in mode)
  CpuConfigs cpu_all;        ///< of CPU-only
  ProfileInUse by_integers;  ///< of doubles by integers
  /// The engine learns from calls, so `automatic` need not believe a profile of another device.
  bool learns = false;
  /// This process is one of several of a job, which may share it, and no call corrects what is
  /// expected: the device must gain more.
  bool is_part = false;

  /// What tuning found of an arithmetic; of products of this type.
  ProfileInUse& tuned(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::integers ? by_integers : *this;
  }
  const ProfileInUse& tuned(Arithmetic arithmetic) const {
    return arithmetic == Arithmetic::integers ? by_integers : *this;
  }
  const ProfileInUse& tuned(Precision precision) const {
    return tuned(device.arithmetic(precision));
  }
  const CpuConfig& cpu_for(Precision precision) const { return cpu[precision_index(precision)]; }
  const CpuConfig& cpu_all_for(Precision precision) const {
    return cpu_all[precision_index(precision)];
  }
};

/// Decides. Pure: same input, same plan.
///
/// With no GPU: CPU-only. With `request.split`: that share, rounded to single rows when forced.
/// `automatic`: the fastest of CPU-only, GPU-only and hybrid by the cost model (call_estimate.hpp);
/// but CPU-only well below the crossover, or if nothing is learned and no profile is of the device.
///
/// The kernel is the nearest tuned shape's (distance in log m, log n, log k); the share is the one
/// that balances the sides. `math` other than exact changes the GPU's kernel, if the device can do
/// it. Types that were not tuned use the built-in kernel and the costs of the nearest tuned type.
///
/// `learned`: what calls showed. It moves shares, and with `automatic` it decides who computes; the
/// plan then has a forecast. A profile of another device is then a promise that calls test.
Plan make_plan(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request,
               const LearnedTimes* learned = nullptr);

/// Both sides, with the times that are expected of them and of the CPU alone, even where that is as
/// fast. For products inside a larger call, while the CPU does other parts of it. Nothing:
/// no times are expected, or only one side would work.
std::optional<Plan> shared_plan(const GemmProblem& problem, const PlanMachine& machine,
                                const PlanRequest& request, const LearnedTimes* learned = nullptr);

/// The GPU alone, with the times that are expected of it and of the CPU alone, where the profile
/// promises a gain by the GPU, whatever calls showed. For a whole call whose own times decide who
/// does it: those of products are not to rule it out. Nothing: the profile promises none.
std::optional<Plan> promised_plan(const GemmProblem& problem, const PlanMachine& machine,
                                  const PlanRequest& request, const LearnedTimes& learned);

/// The tuned products to use for a problem's estimates: of its type, or of the nearest type that
/// was tuned. Null: none was.
const ModelGroup* tuned_group(const CostModel& costs, const GemmProblem& problem);

/// The forecast of all of a product on the GPU alone.
Forecast forecast_on_gpu(const GemmProblem& problem, const PlanMachine& machine);

/// Seconds of the CPU alone on all cores, by the cost model; 0: it has no estimate.
double estimated_cpu_seconds(const GemmProblem& problem, const PlanMachine& machine);

/// Why `automatic` leaves every call of this type to the CPU, however large it is; nothing if it
/// does not.
std::optional<Reason> why_never_gpu(const PlanMachine& machine, Precision precision);

/// Below this many flops `automatic` leaves every product of this type to the CPU, whatever its
/// shape and ops; infinite if it does so at every size.
double least_automatic_gpu_flops(const PlanMachine& machine, Precision precision);

/// The tuned point of this precision nearest to the problem, of those with a kernel of this use;
/// same ops preferred. Null: none.
const TunedPoint* nearest_point(const Profile& profile, const GemmProblem& problem,
                                KernelUse use = KernelUse::call);

/// The kernel for this product of operands in the device's memory.
KernelParams gpu_kernel(const GemmProblem& problem, const PlanMachine& machine, MathMode math);

/// Of products that are no whole calls: in the device's memory, or in a matrix that it holds during
/// a call of LAPACK. That of the profile; else `planned`, which is for whole calls, or the built-in
/// one of the use, where a row of facts/kernels.txt says that it is better.
KernelParams kernel_of_use(KernelUse use, const KernelParams& planned, const GemmProblem& problem,
                           const PlanMachine& machine);

/// CPU-only, on these cores.
Plan cpu_plan(const CpuConfig& config, Reason reason);

/// The plan for this choice: rounds the share to the kernel's tiles and picks the axis. GPU-only,
/// or CPU-only on all cores, if rounding leaves one side nothing.
Plan plan_choice(const GemmProblem& problem, const PlanMachine& machine, const TunedChoice& choice,
                 Reason reason);

/// The same with a partition that is known already: `choice.share` is only recorded.
Plan plan_choice(const GemmProblem& problem, const PlanMachine& machine, const TunedChoice& choice,
                 const PlannedPartition& partition, Reason reason);

/// The built-in kernel with half of C: the choice before anything was tuned.
TunedChoice untuned_choice(Precision precision, const PlanMachine& machine);

/// Makes a choice for other ops, another element type or an older library legal for this problem.
/// The kernel packs operands whose op it was not tuned for. The built-in one replaces it if it is
/// not legal on this device, or not exact. If the choice comes from another device, this machine's
/// sharing mode is used.
TunedChoice adapted_choice(const TunedChoice& choice, const TunedPoint& tuned_at,
                           const GemmProblem& problem, const PlanMachine& machine);

}  // namespace duoblas
