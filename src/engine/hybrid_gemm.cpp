#include "engine/hybrid_gemm.hpp"

#include <functional>

#include "engine/hybrid_product.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

HybridOutcome hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const GemmProblem& problem, const Plan& plan,
                          const ResidentOperands& resident, WantedCheck* wanted) {
  const PartitionedProblem parts = partition(problem, plan.axis, plan.gpu_extent);
  const auto beside = [&] { cpu.run(parts.cpu, plan.cpu); };
  // Takes no memory: a program's call could not be passed on any more.
  return hybrid_gemm(gpu, cpu, parts, plan, std::cref(beside), resident, wanted);
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
