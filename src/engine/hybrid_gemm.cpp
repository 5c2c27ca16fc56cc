#include "engine/hybrid_gemm.hpp"

#include <exception>
#include <new>

#include "check/every_element.hpp"
#include "engine/recoverable_job.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// A check that finds no memory has no result.
class Checking {
 public:
  explicit Checking(ProductCheck* check) : check_(check) {}

  void predict() noexcept {
    attempt([](ProductCheck& check) { check.predict(); });
  }
  std::optional<CheckedResult> compare() noexcept {
    std::optional<CheckedResult> result;
    attempt([&](ProductCheck& check) { result = {check.compare(), check.seconds()}; });
    return result;
  }

 private:
  template <typename Step>
  void attempt(Step&& step) noexcept {
    if (check_ == nullptr) return;
    try {
      step(*check_);
    } catch (const std::exception&) {
      check_ = nullptr;
    }
  }

  ProductCheck* check_;
};

std::string text_of(const WrongElement& wrong, const GemmProblem& part) noexcept try {
  return "its result is wrong: " + describe(wrong, part);
} catch (const std::bad_alloc&) {
  return "is wrong";  // short enough to need no memory
}

}  // namespace

HybridOutcome hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const GemmProblem& problem, const Plan& plan,
                          const ResidentOperands& resident, WantedCheck* wanted) {
  const PartitionedProblem parts = partition(problem, plan.axis, plan.gpu_extent);
  return hybrid_gemm(
      gpu, cpu, parts, plan, [&] { cpu.run(parts.cpu, plan.cpu); }, resident, wanted);
}

HybridOutcome hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const PartitionedProblem& parts,
                          const Plan& plan, const std::function<void()>& beside,
                          const ResidentOperands& resident, WantedCheck* wanted) {
  HybridOutcome outcome;
  const Stopwatch watch;

  std::optional<ArrivingResult> arriving;
  if (wanted != nullptr && !parts.gpu.overwrites_c()) arriving.emplace(*wanted, parts.gpu);

  RecoverableJob job(gpu, parts, plan, resident, arriving ? &*arriving : nullptr);  // and flushes
  beside();
  outcome.times.cpu = watch.seconds();
  // If rows are checked while they arrive, the pipeline does the check.
  const bool is_whole = wanted != nullptr && (!arriving || arriving->kept());
  Checking checking(is_whole ? &wanted->check : nullptr);
  if (is_whole && wanted->beside) checking.predict();
  const bool gpu_part_done = job.join();
  const GpuJobTimes gpu_times = job.times();
  outcome.times.gpu = gpu_times.whole;
  outcome.times.gpu_at_most = gpu_times.at_most;
  outcome.gpu_hung = job.hung();
  outcome.c_is_out_of_reach = job.may_write_c();
  if (!gpu_part_done && !outcome.c_is_out_of_reach)
    for (const GemmProblem& rest : job.unfinished()) cpu.run(rest, plan.cpu);
  outcome.gpu_failure = job.take_failure();
  outcome.times.whole = watch.seconds();
  if (is_whole && gpu_part_done) {
    if (!wanted->beside) checking.predict();
    outcome.check = checking.compare();
  } else if (arriving && arriving->saw_all() && (gpu_part_done || arriving->verdict().wrong)) {
    outcome.check = {arriving->verdict(), arriving->seconds()};
    outcome.check_in_times = !wanted->beside;
  }
  if (outcome.is_wrong()) {
    if (gpu_part_done) {
      wanted->check.restore_c();
      cpu.run(parts.gpu, plan.cpu);
    }
    outcome.gpu_failure = text_of(*outcome.check->verdict.wrong, parts.gpu);
  }
  if (outcome.is_wrong() || (wanted != nullptr && wanted->beside))
    outcome.times.whole = watch.seconds();

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
