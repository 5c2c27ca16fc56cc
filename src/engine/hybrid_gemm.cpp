#include "engine/hybrid_gemm.hpp"

#include "engine/hybrid_product.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

HybridOutcome hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const GemmProblem& problem, const Plan& plan,
                          const ResidentOperands& resident, WantedCheck* wanted) {
  const PartitionedProblem parts = partition(problem, plan.axis, plan.gpu_extent);
  return hybrid_gemm(
      gpu, cpu, parts, plan, [&] { cpu.run(parts.cpu, plan.cpu); }, resident, wanted);
}

HybridOutcome hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const PartitionedProblem& parts,
                          const Plan& plan, const std::function<void()>& beside,
                          const ResidentOperands& resident, WantedCheck* wanted,
                          OldResult* old_result) {
  HybridProduct product(gpu, parts, plan, resident, wanted, false, old_result);
  beside();
  product.cpu_has_ended();
  return product.complete(cpu);
}

SideTimes cpu_gemm(CpuSide& cpu, const GemmProblem& problem, const CpuConfig& config) {
  const Stopwatch watch;
  cpu.run(problem, config);
  const double seconds = watch.seconds();
  return {0, seconds, seconds, false};
}

}  // namespace duoblas
