#include "engine/hybrid_batch.hpp"

#include <exception>
#include <new>
#include <optional>
#include <string>

#include "check/every_element.hpp"
#include "engine/job_failure.hpp"
#include "os/fork_state.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// A batch's job that remembers its failures instead of throwing, so that the CPU can do its part.
class GuardedBatch {
 public:
  GuardedBatch(GpuSide& gpu, const PartitionedBatch& parts, SharingMode sharing) noexcept {
    const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
    try {
      job_ = gpu.submit(parts.gpu, BatchSharing{sharing, &parts.cpu});
      submitted_ = true;
    } catch (...) {
      failure_.remember();
    }
  }

  /// Waits. False: nothing of the part is done.
  bool join() noexcept {
    if (!submitted_) return false;
    try {
      job_.wait();
      return true;
    } catch (...) {
      failure_.remember();
      return false;
    }
  }

  GpuJobTimes times() const { return job_.times(); }
  JobFailure& failure() { return failure_; }
  bool submitted() const { return submitted_; }

 private:
  BatchJob job_;
  bool submitted_ = false;
  JobFailure failure_;
};

// A check that finds no memory has no result.
std::optional<CheckedResult> compared(BatchCheck& check) noexcept try {
  const CheckVerdict verdict = check.compare();
  return CheckedResult{verdict, check.seconds()};
} catch (const std::exception&) {
  return std::nullopt;
}

std::string text_of(const BatchCheck& check, const WrongElement& wrong) noexcept try {
  return "its result is wrong: " + describe(wrong, check.wrong_product()) + " in a batch";
} catch (const std::bad_alloc&) {
  return "is wrong";  // short enough to need no memory
}

}  // namespace

HybridOutcome hybrid_batch(GpuSide& gpu, CpuSide& cpu, const PartitionedBatch& parts,
                           SharingMode sharing, const CpuConfig& config, BatchCheck* check,
                           bool in_times) {
  HybridOutcome outcome;
  const Stopwatch watch;
  GuardedBatch job(gpu, parts, sharing);  // and flushes
  cpu.run(parts.cpu, config);
  outcome.times.cpu = watch.seconds();
  const bool gpu_part_done = job.join();
  const GpuJobTimes gpu_times = job.times();
  outcome.times.gpu = gpu_times.whole;
  outcome.times.gpu_at_most = gpu_times.at_most;
  outcome.gpu_hung = job.failure().hung();
  outcome.c_is_out_of_reach = job.failure().may_write_c();
  if (!gpu_part_done && !outcome.c_is_out_of_reach) cpu.run(parts.gpu, config);
  outcome.gpu_error_code = job.failure().error_code();
  outcome.gpu_failure = job.failure().take();
  outcome.times.whole = watch.seconds();
  outcome.failed_after_submit = !gpu_part_done && job.submitted();
  if (check == nullptr || !gpu_part_done) return outcome;
  outcome.check = compared(*check);
  if (outcome.is_wrong()) {
    check->restore_c();
    cpu.run(parts.gpu, config);
    outcome.gpu_failure = text_of(*check, *outcome.check->verdict.wrong);
  }
  if (outcome.is_wrong() || in_times) outcome.times.whole = watch.seconds();
  return outcome;
}

}  // namespace duoblas
