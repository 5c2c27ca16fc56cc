// Who computes a call, and how: the engine's questions to the planner (planner/planner.hpp), with
// what is known of this machine and what earlier calls took. A part of an engine: engine.plans().
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <duoblas/settings.hpp>

#include "planner/planner.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

struct EngineState;
struct MachineState;
class ResidentMatrix;

/// Thread-safe. What opens no device goes by the one that was last opened on this machine.
class Plans {
 public:
  Plans(EngineState& engine, const Settings& settings)
      : engine_(engine), settings_(settings), strategy_(settings.strategy), math_(settings.math) {}

  /// What the user asked for: the settings, changed by the functions below.
  PlanRequest request() const;
  /// Whether the GPU is used whenever possible, however long that takes. False in a forked child.
  bool insists_on_gpu() const;
  /// Overrides the settings' split from the next call on, at every size; nothing: ends that.
  void set_split(std::optional<Share> split);
  /// Who computes from the next call on, unless a split is set.
  void set_strategy(Strategy strategy) { strategy_.store(strategy, std::memory_order_relaxed); }
  /// The arithmetic from the next call on.
  void set_math(MathMode math) { math_.store(math, std::memory_order_relaxed); }

  /// Opens the device if the call is large enough for it. With `settings.adapt` and no split given,
  /// it follows what earlier calls took.
  Plan of(const GemmProblem& problem);
  Plan of(const GemvProblem& problem, const ResidentMatrix* a);
  /// In exact arithmetic, whatever was asked for: for calls that consist of products most of which
  /// are too small for the kernels of tf32x3.
  Plan exact(const GemmProblem& problem);
  /// For a product beside which the CPU has other work of the call: both sides, where the device
  /// works in place, even if the CPU alone is expected to be as fast as both.
  Plan beside_work(const GemmProblem& problem);
  /// exact() for a product that stands for a whole call of LAPACK on copies. Calls of LAPACK show
  /// nothing about products. So where what products showed speaks against the device, but its
  /// profile promises a gain, this is the device's plan all the same: its expected time is in it,
  /// and the times of whole calls decide (lapack_call.hpp). `narrow`: one of the call's updates, if
  /// these have narrow results (kernel_of_use).
  Plan of_lapack(const GemmProblem& problem, const std::optional<GemmProblem>& narrow = {});
  /// The CPU alone, on all cores. Opens no device.
  Plan cpu_alone(Precision precision, Reason reason) const;
  const CpuConfig& all_cores(Precision precision) const;

  /// Seconds of the CPU alone on all cores, by the cost model; 0: it has no estimate. Opens no
  /// device.
  double estimated_cpu_seconds(const GemmProblem& problem) const;
  /// The part of a product's time that the device is likely to save; nothing: it is not known, or
  /// only calls can tell. Opens no device. \throws std::bad_alloc.
  std::optional<double> promised_gain(const GemmProblem& problem);
  /// The same for a gemv, by what is expected of every gemv of this type.
  std::optional<double> promised_gain_of_gemv(Precision precision);

  /// Why every call of this type goes to the CPU, as it seems now; nothing if some do not. Opens no
  /// device.
  std::optional<Reason> why_never_gpu(Precision precision) const;
  /// A product with fewer flops goes to the CPU, whatever its shape. Infinity if every product
  /// does, 0 if the GPU is insisted on. Opens no device; until one is open, smaller products do not
  /// open one.
  double smallest_gemm_flops(Precision precision) const;
  /// The same for gemv, except where the device has the matrix: bytes below which calls are left to
  /// the CPU. If the device is not known, the bytes are infinite.
  std::optional<Reason> why_never_stream(Precision precision) const;
  double smallest_bytes(Precision precision) const;

 private:
  void say_if_math_is_missing(const PlanMachine& facts) const;
  Plan of(const GemmProblem& problem, const PlanRequest& wanted);
  Plan with_device(const GemmProblem& problem, const MachineState& opened,
                   const PlanRequest& wanted);
  Plan by_times(const GemmProblem& problem, const PlanMachine& facts, const PlanRequest& wanted);
  struct OnCpu {
    const CpuConfig& cpu;
    Reason why;
  };
  const MachineState& open(const PlanRequest& wanted);
  std::optional<OnCpu> without_device(const PlanRequest& wanted, Precision precision,
                                      std::optional<Reason> why_cpu);
  bool finds_kernel(Plan& plan, Precision precision);
  bool knows_streams(const PlanMachine* facts) const;

  EngineState& engine_;
  const Settings& settings_;
  std::atomic<std::uint64_t> split_{0};  ///< both parts, so that it is read without a lock; 0: none
  std::atomic<Strategy> strategy_;
  std::atomic<MathMode> math_;
};

}  // namespace duoblas
