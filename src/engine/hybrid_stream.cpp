#include "engine/hybrid_stream.hpp"

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "engine/job_failure.hpp"
#include "os/fork_state.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// A check that finds no memory has no result.
WrongOutput looked_at(const StreamRoutine& routine, const RoutineJob& job, Interval outputs,
                      const StreamCheck& check) noexcept try {
  return check.wanted ? routine.wrong(job, outputs, check.all, check.seed) : std::nullopt;
} catch (const std::exception&) {
  return {};
}

// The CPU does its outputs again all the same.
std::string text_of(const std::string& wrong) noexcept try {
  return "its result is wrong: " + wrong;
} catch (const std::bad_alloc&) {
  return "is wrong";  // short enough to need no memory
}

// A job that remembers its failures instead of throwing, so that the CPU can do its part.
class GuardedRoutine {
 public:
  /// Enqueues these outputs and flushes.
  GuardedRoutine(GpuSide& gpu, const StreamRoutine& routine, Interval outputs, Interval of_host,
                 SharingMode sharing, const StreamCheck& check) noexcept
      : routine_(routine), outputs_(outputs) {
    const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
    try {
      job_ = routine.start(gpu, outputs, of_host, sharing, check.wanted);
      submitted_ = true;
    } catch (...) {
      failure_.remember();
    }
  }

  /// Waits. False: not all is done.
  bool join() noexcept {
    if (!submitted_) return false;
    try {
      job_.wait();
      done_ = true;
    } catch (...) {
      failure_.remember();
    }
    return done_;
  }
  /// Waits, then undoes the job's work, except for finished pieces of large updates.
  void give_up() noexcept {
    join();
    job_.undo();
  }
  WrongOutput wrong(const StreamCheck& check) const noexcept {
    return done_ ? looked_at(routine_, job_, outputs_, check) : std::nullopt;
  }
  void publish() const { routine_.publish(job_, outputs_); }
  /// The outputs that are missing.
  Interval unfinished() const {
    const std::int64_t done = job_.outputs_done();
    return {outputs_.first + done, outputs_.count - done};
  }

  RoutineJob& job() { return job_; }
  bool submitted() const { return submitted_; }
  bool done() const { return done_; }
  JobFailure& failure() { return failure_; }

 private:
  const StreamRoutine& routine_;
  const Interval outputs_;
  RoutineJob job_;
  JobFailure failure_;
  bool submitted_ = false, done_ = false;
};

// Null: the CPU did its outputs. Otherwise why it did not; it has not begun to change them.
std::exception_ptr run_on_cpu(CpuSide& cpu, const StreamRoutine& routine, const CpuConfig& config,
                              Interval outputs, GuardedRoutine& beside) {
  bool begun = false;
  try {
    if (outputs.count > 0) routine.run(cpu, config, outputs, &begun);
    return nullptr;
  } catch (...) {
    if (!begun) return std::current_exception();
    beside.give_up();
    throw;
  }
}

// Does the CPU's outputs on the GPU, which has finished its own.
void take_over(GpuSide& gpu, const StreamRoutine& routine, const Plan& plan, Interval outputs,
               GuardedRoutine& own, const std::exception_ptr& why) {
  if (own.done()) {
    GuardedRoutine rest(gpu, routine, outputs, {}, plan.sharing, {});
    if (rest.join()) return rest.publish();
  }
  own.give_up();
  std::rethrow_exception(why);
}

}  // namespace

StreamOutcome hybrid_stream(GpuSide& gpu, CpuSide& cpu, const StreamRoutine& routine,
                            const Plan& plan, const StreamCheck& check) {
  StreamOutcome outcome;
  const Stopwatch watch;
  const Interval of_gpu{0, plan.gpu_extent};
  const Interval of_cpu{plan.gpu_extent, routine.outputs() - plan.gpu_extent};
  GuardedRoutine job(gpu, routine, of_gpu, of_cpu, plan.sharing, check);  // and flushes
  const std::exception_ptr cpu_failure = run_on_cpu(cpu, routine, plan.cpu, of_cpu, job);
  outcome.times.cpu = watch.seconds();
  const bool done = job.join();
  outcome.times.gpu = job.job().seconds().value_or(watch.seconds());
  if (cpu_failure) take_over(gpu, routine, plan, of_cpu, job, cpu_failure);
  outcome.cpu_failed = cpu_failure != nullptr;
  // If the GPU had ended before the wait, the time is that of the CPU's end.
  outcome.times.gpu_at_most = done && job.job().was_early();
  outcome.c_is_out_of_reach = job.failure().may_write_c();
  double check_seconds = 0;
  std::string why;
  if (done) {
    const Stopwatch of_check;
    if (const WrongOutput wrong = job.wrong(check)) {
      outcome.was_wrong = true;
      why = text_of(*wrong);
      job.job().undo();
    }
    check_seconds = of_check.seconds();
  }
  if (done && !outcome.was_wrong)
    job.publish();
  else if (!outcome.c_is_out_of_reach)
    routine.run(cpu, plan.cpu, job.unfinished(), nullptr);
  // If all results are checked, the check is part of the call.
  outcome.times.whole = watch.seconds() - (check.all ? 0 : check_seconds);
  outcome.gpu_failure = outcome.was_wrong ? std::move(why) : job.failure().take();
  outcome.gpu_error_code = job.failure().error_code();
  outcome.gpu_hung = job.failure().hung();
  outcome.failed_after_submit = job.submitted() && !done;
  return outcome;
}

}  // namespace duoblas
