#include "hybrid/hybrid_gemm.hpp"

#include <chrono>

#include "hybrid/guarded_job.hpp"

namespace duoblas {
namespace {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

HybridOutcome hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const GemmProblem& problem,
                          const Plan& plan) {
  HybridOutcome outcome;
  const Stopwatch watch;
  const CutProblem parts = cut(problem, plan.axis, plan.gpu_extent);

  GuardedJob job(gpu, parts.gpu, plan);  // enqueues and flushes
  cpu.run(parts.cpu, plan.cpu);
  outcome.times.cpu = watch.seconds();
  const bool gpu_part_done = job.join();
  outcome.times.gpu = job.seconds();
  if (!gpu_part_done) cpu.run(parts.gpu, plan.cpu);

  outcome.times.whole = watch.seconds();
  outcome.gpu_failure = job.failure();
  outcome.gpu_error_code = job.error_code();
  outcome.failed_after_submit = !gpu_part_done && job.submitted();
  return outcome;
}

SideTimes cpu_gemm(CpuSide& cpu, const GemmProblem& problem, const CpuConfig& config) {
  const Stopwatch watch;
  cpu.run(problem, config);
  const double seconds = watch.seconds();
  return {0, seconds, seconds};
}

}  // namespace duoblas
