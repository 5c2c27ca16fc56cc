#include "engine/hybrid_gemm.hpp"

#include "engine/guarded_job.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
HybridOutcome hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const GemmProblem& problem, const Plan& plan,
                          const ResidentOperands& resident) {
  HybridOutcome outcome;
  const Stopwatch watch;
  const CutProblem parts = cut(problem, plan.axis, plan.gpu_extent);

  GuardedJob job(gpu, parts, plan, resident);  // enqueues and flushes
  const double flushed = watch.seconds();
  cpu.run(parts.cpu, plan.cpu);
  outcome.times.cpu = watch.seconds();
  const bool gpu_part_done = job.join();
  const GpuJobTimes gpu_times = job.times();
  outcome.times.gpu = gpu_times.whole;
  outcome.times.gpu_at_most = gpu_times.at_most;
  outcome.overlap = {gpu_times.kernels - flushed, outcome.times.cpu - flushed, gpu_times.at_most};
  outcome.gpu_hung = job.hung();
  outcome.c_is_out_of_reach = job.may_write_c();
  if (!gpu_part_done && !outcome.c_is_out_of_reach)
    for (const GemmProblem& rest : job.unfinished()) cpu.run(rest, plan.cpu);

  outcome.times.whole = watch.seconds();
  outcome.gpu_failure = job.take_failure();
  outcome.gpu_error_code = job.error_code();
  outcome.failed_after_submit = !gpu_part_done && job.submitted();
  return outcome;
}

SideTimes cpu_gemm(CpuSide& cpu, const GemmProblem& problem, const CpuConfig& config) {
  const Stopwatch watch;
  cpu.run(problem, config);
  const double seconds = watch.seconds();
  return {0, seconds, seconds, false};
}

}  // namespace duoblas
