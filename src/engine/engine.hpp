// The engine behind duoblas::Context: both sides, the planner, and recovery from a failed GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <duoblas/settings.hpp>

#include "engine/hybrid_gemm.hpp"
#include "planner/planner.hpp"

namespace duoblas {

/// What one call did.
struct CallReport {
  Plan plan;  ///< as it was carried out: a CPU plan where the GPU failed
  SideTimes times;
  bool recovered = false;  ///< the GPU failed and the CPU did its part

  bool used_gpu() const { return plan.strategy != Strategy::cpu && plan.gpu_extent > 0; }
};

/// Without forcing, nothing smaller opens the device: on the emulated APU (PoCL on one core of an
/// AMD EPYC, OpenBLAS on the other) the hybrid wins from n = 128 (dgemm) or 192 (sgemm) on.
inline constexpr double smallest_gpu_flops = 2.0 * 128 * 128 * 128;

/// Thread-safe. Nothing of OpenCL or the CPU BLAS is loaded before it is needed. In a forked child
/// every product runs on the CPU.
class Engine {
 public:
  /// \throws SettingError where the settings cannot be met (stand-in with one core, say).
  explicit Engine(Settings settings);
  ~Engine();

  /// Plans and computes. With `settings.adapt` and no split given, the measured times move the
  /// share of later calls. `resident`: make_resident's, which the GPU's part may take instead of
  /// the caller's memory. \throws CpuBlasError; a failing GPU is recovered from.
  CallReport run(const GemmProblem& problem, const ResidentOperands& resident = {});
  /// Computes as told: for tuning and comparisons; nothing adapts. Recovers like run().
  CallReport run(const GemmProblem& problem, const Plan& plan,
                 const ResidentOperands& resident = {});
  /// What run() would do.
  Plan plan(const GemmProblem& problem);

  /// A copy of the matrix on the device, where products may run there on copies. Null where they do
  /// not, as it seems now, or where the device has not the memory.
  std::shared_ptr<const ResidentMatrix> make_resident(const HostRect& matrix, Precision precision);

  /// Whether run() with this plan would find the kernels of the GPU's part built. Opens no device,
  /// waits for nothing.
  bool has_kernels(const GemmProblem& problem, const Plan& plan) const;
  /// Builds them, or loads them from the cache, on this thread and beside whoever computes. Nothing
  /// of the operands is read or written. A fork waits for it.
  void build_kernels(const GemmProblem& problem, const Plan& plan) noexcept;
  /// Makes what else the first product of copied operands would wait for, where plans of this type
  /// copy. Nobody else is to use the device meanwhile. A fork waits for it.
  void build_transfers(Precision precision) noexcept;

  /// The CPU BLAS's own routine, on all cores: what CpuSide::run needs holds. \throws CpuBlasError.
  void run_on_cpu(const Level3Problem& problem);
  /// \throws CpuBlasError where run_on_cpu could not do this routine.
  void require_on_cpu(Routine routine, Precision precision);

  /// Whether the GPU is used wherever it can be, by strategy or split, however long that takes.
  bool insists_on_gpu() const;
  /// Flops of a product under which plan() leaves it to the CPU, whatever its shape: infinity where
  /// it always does, 0 where insists_on_gpu(). Opens no device: before one is open it is the size
  /// under which none is opened.
  double smallest_gemm_flops(Precision precision) const;

  /// Overrides the settings' split from the next call on, at every size; nothing: takes it back.
  void set_split(std::optional<Share> split);

  /// The arithmetic from the next call on.
  void set_math(MathMode math);

  const Settings& settings() const;
  /// Opens the device at the first call. Null: CPU-only, and gpu_problem() says why.
  GpuSide* gpu();
  std::string gpu_problem();
  CpuSide& cpu();
  /// What the planner sees, the loaded profile (or the one that stands in) included. Opens the
  /// device.
  const PlanMachine& machine();
  /// The key under which a profile of this machine is stored. Opens the device.
  ProfileKey profile_key();
  /// What the device is, for the profile that is stored. Opens the device.
  ProfileOrigin profile_origin();
  /// Uses this profile from now on. Not to be called while other threads compute.
  void adopt(const Profile& profile);
  /// The damaged or unreadable profile's story; empty where there is none.
  std::string profile_problem();

 private:
  Plan plan_without_adapting(const GemmProblem& problem);
  CallReport carry_out(const GemmProblem& problem, const Plan& plan,
                       const ResidentOperands& resident, HybridOutcome& outcome);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
