#include "engine/guarded_job.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device/unsuited_numbers.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/fork_state.hpp"

namespace duoblas {
namespace {

// The CPU computes it again all the same.
std::string text_of_wrong(const Call& call, const PartCheck& checked) noexcept try {
  return "its result is wrong: " + call.describe(checked);
} catch (const std::bad_alloc&) {
  return "is wrong";  // short enough to need no memory
}

// A check that finds no memory has no result.
PartCheck checked_part(Call& call, bool done) noexcept try {
  PartCheck checked = call.check(done);
  checked.wrong = checked.wrong || (checked.result && checked.result->verdict.wrong);
  return checked;
} catch (const std::exception&) {
  return {};
}

}  // namespace

void Call::check_ahead() noexcept try {
  if (check_ && check_is_timed_) check_->predict();
} catch (const std::exception&) {
  // check() tries again.
}

PartCheck Call::check(bool done) {
  PartCheck checked;
  if (!check_) return checked;
  checked.in_times = check_is_timed_;
  if (done) checked.result = CheckedResult{check_->compare(), check_->seconds()};
  if (!check_is_timed_) checked.apart_seconds = check_->seconds();
  return checked;
}

Suspect Call::suspect(const ResultChecks& checks) const noexcept {
  Suspect suspect;
  std::snprintf(suspect.call, sizeof suspect.call, "%cgemm", letter(precision()));
  suspect.unchecked = checks.unchecked(plan.kernel, precision());
  return suspect;
}

void JobFailure::remember() noexcept {
  try {
    throw;
  } catch (const cl::DeviceHung& hung) {
    note(hung.what());
    hung_ = true;
    may_write_c_ = hung.may_write_c;
  } catch (const UnsuitedNumbers& error) {
    note(error.what());
    is_for_numbers_ = true;
  } catch (const DeviceError& error) {
    note(error.what());
    error_code_ = error.code();
  } catch (const std::exception& error) {
    note(error.what());
  }
}

void JobFailure::note(const char* text) noexcept {
  try {
    text_ = text;
  } catch (const std::bad_alloc&) {
    text_ = "memory is short";  // short enough to need none
  }
}

GuardedJob::GuardedJob(Call& call, GpuSide& gpu) noexcept : call_(call) {
  const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
  try {
    call_.start(gpu);
    started_ = true;
  } catch (...) {
    failure_.remember();
  }
}

void GuardedJob::run_beside(CpuSide& cpu) {
  call_.run_beside(cpu);
  cpu_seconds_ = watch_.seconds();
}

void GuardedJob::join() noexcept {
  if (!started_) return;
  try {
    call_.wait();
    done_ = true;
  } catch (...) {
    failure_.remember();
  }
}

// Returns the seconds that are not to be counted as the call's.
double GuardedJob::check_part(HybridOutcome& outcome, CpuSide& cpu) {
  const Stopwatch of_check;
  PartCheck checked = checked_part(call_, done_);
  const double apart = checked.in_times || checked.wrong ? 0 : of_check.seconds();
  outcome.was_wrong = checked.wrong;
  outcome.check_in_times = checked.is_unusual;
  outcome.check_seconds = checked.apart_seconds;
  if (checked.wrong) {
    outcome.gpu_failure = text_of_wrong(call_, checked);
    if (done_) {
      call_.undo();
      call_.run_part(cpu);
    }
  } else if (done_) {
    call_.publish();
  }
  outcome.check = std::move(checked.result);
  return apart;
}

HybridOutcome GuardedJob::complete(CpuSide& cpu) {
  HybridOutcome outcome;
  outcome.times.cpu = cpu_seconds_;
  call_.check_ahead();
  join();
  const GpuJobTimes took = call_.times(watch_.seconds());
  outcome.times.gpu = took.whole;
  outcome.times.gpu_at_most = took.at_most;
  outcome.gpu_hung = failure_.hung();
  outcome.c_is_out_of_reach = failure_.may_write_c();
  if (!done_ && !outcome.c_is_out_of_reach) call_.finish(cpu);
  const double apart = check_part(outcome, cpu);
  outcome.times.whole = watch_.seconds() - apart;
  if (!outcome.was_wrong) outcome.gpu_failure = failure_.take();
  outcome.gpu_error_code = failure_.error_code();
  outcome.had_unsuited_numbers = !outcome.was_wrong && failure_.is_for_numbers();
  outcome.failed_after_submit = started_ && !done_;
  call_.end();
  return outcome;
}

HybridOutcome on_both_sides(Call& call, GpuSide& gpu, CpuSide& cpu) {
  GuardedJob job(call, gpu);
  job.run_beside(cpu);
  return job.complete(cpu);
}

}  // namespace duoblas
