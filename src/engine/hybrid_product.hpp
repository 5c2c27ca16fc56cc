// One product on both sides from its submission to its join, for a caller who has other work
// meanwhile. hybrid_gemm is one with that work between the two.
#pragma once

#include <optional>

#include "engine/arriving_result.hpp"
#include "engine/hybrid_gemm.hpp"
#include "engine/recoverable_job.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

class HybridProduct {
 public:
  /// Enqueues the GPU's part and flushes; that waits until the device takes it. Any thread may do
  /// so. `parts` and `plan` live as long as this. `behind_another`: as in Sharing.
  HybridProduct(GpuSide& gpu, const PartitionedProblem& parts, const Plan& plan,
                const ResidentOperands& resident, WantedCheck* wanted,
                bool behind_another) noexcept;
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
  const Stopwatch watch_;
  double cpu_seconds_ = 0;
  std::optional<ArrivingResult> arriving_;
  RecoverableJob job_;
};

}  // namespace duoblas
