// One product on both sides from its submission to its join, for a caller who has other work
// meanwhile. hybrid_gemm is one with that work between the two.
#pragma once

#include <optional>

#include "engine/arriving_result.hpp"
#include "engine/hybrid_gemm.hpp"
#include "engine/old_result.hpp"
#include "engine/recoverable_job.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

class HybridProduct {
 public:
  /// Enqueues the GPU's part and flushes; that waits until the device takes it. Any thread may do
  /// so. `parts` and `plan` live as long as this. `behind_another`: as in Sharing. `old_result`:
  /// what complete() restores C with after a failure; null: the GPU's side keeps what it needs.
  HybridProduct(GpuSide& gpu, const PartitionedProblem& parts, const Plan& plan,
                const ResidentOperands& resident, WantedCheck* wanted, bool behind_another,
                OldResult* old_result) noexcept;
  HybridProduct(const HybridProduct&) = delete;
  HybridProduct& operator=(const HybridProduct&) = delete;

  /// The CPU has ended its own work: for the outcome's times.
  void cpu_has_ended() { cpu_seconds_ = watch_.seconds(); }
  /// Waits for the GPU's part, once. What is not there then the CPU computes, on this thread and
  /// its workers. \throws CpuBlasError.
  HybridOutcome complete(CpuSide& cpu);

 private:
  const GemmProblem& part_;
  const Plan& plan_;
  WantedCheck* const wanted_;
  OldResult* const old_result_;
  const Stopwatch watch_;
  double cpu_seconds_ = 0;
  std::optional<ArrivingResult> arriving_;
  RecoverableJob job_;
};

}  // namespace duoblas
