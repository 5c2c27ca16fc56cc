#include "engine/hybrid_stream.hpp"

#include <exception>
#include <string>
#include <utility>

#include "cpu/fork_state.hpp"
#include "engine/job_failure.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// A check that finds no memory says nothing.
WrongOutput looked_at(const StreamRoutine& routine, const RoutineJob& job, Interval outputs,
                      const StreamCheck& check) noexcept try {
  return check.wanted ? routine.wrong(job, outputs, check.all, check.seed) : std::nullopt;
} catch (const std::exception&) {
  return {};
}

// Small updates in place are as they were; of those in pieces the device's part stays done.
void give_up(RoutineJob& job) noexcept try {
  job.wait();
  job.undo();
} catch (const std::exception&) {
  // The device failed as well: the caller hears of the CPU.
}

}  // namespace

StreamOutcome hybrid_stream(GpuSide& gpu, CpuSide& cpu, const StreamRoutine& routine,
                            const Plan& plan, const StreamCheck& check) {
  StreamOutcome outcome;
  const Stopwatch watch;
  const Interval of_gpu{0, plan.gpu_extent};
  const Interval of_cpu{plan.gpu_extent, routine.outputs() - plan.gpu_extent};
  RoutineJob job;
  JobFailure failure;
  bool submitted = false, done = false;
  try {
    const ActiveWork no_fork;  // a driver that builds a kernel may load it as a library
    job = routine.start(gpu, of_gpu, of_cpu, plan.sharing, check.wanted);
    submitted = true;
  } catch (...) {
    failure.remember();
  }
  try {
    if (of_cpu.count > 0) routine.run(cpu, plan.cpu, of_cpu);
  } catch (...) {
    if (submitted) give_up(job);
    throw;
  }
  outcome.times.cpu = watch.seconds();
  if (submitted) {
    try {
      job.wait();
      done = true;
    } catch (...) {
      failure.remember();
    }
  }
  outcome.times.gpu = job.seconds().value_or(watch.seconds());
  // Whoever waits for a GPU that had ended sees the CPU's end.
  outcome.times.gpu_at_most = done && job.was_early();
  outcome.c_is_out_of_reach = failure.may_write_c();
  double check_seconds = 0;
  std::string why;
  if (done) {
    const Stopwatch of_check;
    if (const WrongOutput wrong = looked_at(routine, job, of_gpu, check)) {
      outcome.was_wrong = true;
      why = "its result is wrong: " + *wrong;
      job.undo();
    }
    check_seconds = of_check.seconds();
  }
  if (done && !outcome.was_wrong)
    routine.publish(job, of_gpu);
  else if (!outcome.c_is_out_of_reach)
    routine.run(cpu, plan.cpu, {job.outputs_done(), of_gpu.count - job.outputs_done()});
  // Where all results are looked at, that is a part of the call.
  outcome.times.whole = watch.seconds() - (check.all ? 0 : check_seconds);
  outcome.gpu_failure = outcome.was_wrong ? std::move(why) : failure.take();
  outcome.gpu_error_code = failure.error_code();
  outcome.gpu_hung = failure.hung();
  outcome.failed_after_submit = submitted && !done;
  return outcome;
}

}  // namespace duoblas
