#include "engine/hybrid_gemv.hpp"

#include <exception>
#include <new>
#include <utility>

#include "check/every_element.hpp"
#include "cpu/fork_state.hpp"
#include "engine/job_failure.hpp"
#include "gpu/gemv_job.hpp"
#include "gpu/vector_product.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// A check that finds no memory says nothing.
std::optional<CheckedResult> checked(const GemvProblem& part, const void* sums,
                                     const ChecksGemv& checks, bool& in_times,
                                     std::string& failure) noexcept try {
  const VectorProduct product(part, sums);
  auto wanted = checks(product.problem());
  if (!wanted) return {};
  in_times = wanted->beside;
  wanted->check.predict();
  CheckedResult result{wanted->check.compare(), wanted->check.seconds()};
  if (result.verdict.wrong)
    failure = "its result is wrong: " + describe(*result.verdict.wrong, product.problem());
  return result;
} catch (const std::exception&) {
  return {};
}

}  // namespace

HybridOutcome hybrid_gemv(GpuSide& gpu, CpuSide& cpu, const GemvProblem& problem, const Plan& plan,
                          const GemvKernel& kernel, const ResidentMatrix* resident,
                          const ChecksGemv& checks) {
  HybridOutcome outcome;
  const Stopwatch watch;
  const GemvProblem of_gpu = outputs_of(problem, {0, plan.gpu_extent});
  const GemvProblem of_cpu =
      outputs_of(problem, {plan.gpu_extent, problem.outputs() - plan.gpu_extent});
  RoutineJob job;
  JobFailure failure;
  bool submitted = false, done = false;
  try {
    const ActiveWork no_fork;  // a driver that builds a kernel may load it as a library
    job = start_gemv(gpu.device(), of_gpu, kernel, plan.sharing, of_cpu, resident);
    submitted = true;
  } catch (...) {
    failure.remember();
  }
  cpu.run(of_cpu, plan.cpu);
  outcome.times.cpu = watch.seconds();
  if (submitted) {
    try {
      job.wait();
      done = true;
    } catch (...) {
      failure.remember();
    }
  }
  outcome.times.gpu = watch.seconds();
  // Whoever waits for a GPU that had ended sees the CPU's end.
  outcome.times.gpu_at_most = done && job.was_early();
  double check_seconds = 0;
  bool in_times = false;
  if (done) {
    const Stopwatch of_check;
    outcome.check = checked(of_gpu, job.results(), checks, in_times, failure.text);
    check_seconds = of_check.seconds();
  }
  if (done && !outcome.is_wrong())
    add_sums(of_gpu, job.results());
  else
    cpu.run(of_gpu, plan.cpu);
  outcome.times.whole = watch.seconds() - (in_times ? 0 : check_seconds);
  outcome.gpu_failure = std::move(failure.text);
  outcome.gpu_error_code = failure.code;
  outcome.gpu_hung = failure.hung;
  outcome.failed_after_submit = submitted && !done;
  return outcome;
}

}  // namespace duoblas
