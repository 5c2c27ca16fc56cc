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

void note_failure_of_job(HybridOutcome& outcome) noexcept {
  const auto note = [&](const char* text) noexcept {
    try {
      outcome.gpu_failure = text;
    } catch (const std::bad_alloc&) {
      outcome.gpu_failure = "memory is short";  // short enough to need none
    }
  };
  try {
    throw;
  } catch (const cl::DeviceHung& hung) {
    note(hung.what());
    outcome.gpu_hung = true;
    outcome.c_is_out_of_reach = hung.may_write_c;
  } catch (const UnsuitedNumbers& error) {
    note(error.what());
    outcome.had_unsuited_numbers = true;
  } catch (const DeviceError& error) {
    note(error.what());
    outcome.gpu_error_code = error.code();
  } catch (const std::exception& error) {
    note(error.what());
  }
}

GuardedJob::GuardedJob(Call& call, GpuSide& gpu) noexcept : call_(call) {
  const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
  try {
    call_.start(gpu);
    started_ = true;
  } catch (...) {
    note_failure_of_job(outcome_);
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
    note_failure_of_job(outcome_);
  }
}

// Returns the seconds that are not to be counted as the call's.
double GuardedJob::check_part(CpuSide& cpu) {
  const Stopwatch of_check;
  PartCheck checked = checked_part(call_, done_);
  const double apart = checked.in_times || checked.wrong ? 0 : of_check.seconds();
  outcome_.was_wrong = checked.wrong;
  outcome_.check_in_times = checked.is_unusual;
  outcome_.check_seconds = checked.apart_seconds;
  if (checked.wrong) {
    outcome_.gpu_failure = text_of_wrong(call_, checked);
    outcome_.had_unsuited_numbers = false;
    if (done_) {
      call_.undo();
      call_.run_part(cpu);
    }
  } else if (done_) {
    call_.publish();
  }
  outcome_.check = std::move(checked.result);
  return apart;
}

HybridOutcome GuardedJob::complete(CpuSide& cpu) {
  outcome_.times.cpu = cpu_seconds_;
  call_.check_ahead();
  join();
  const GpuJobTimes took = call_.times(watch_.seconds());
  outcome_.times.gpu = took.whole;
  outcome_.times.gpu_at_most = took.at_most;
  if (!done_ && !outcome_.c_is_out_of_reach) call_.finish(cpu);
  const double apart = check_part(cpu);
  outcome_.times.whole = watch_.seconds() - apart;
  outcome_.failed_after_submit = started_ && !done_;
  call_.end();
  return std::move(outcome_);
}

HybridOutcome on_both_sides(Call& call, GpuSide& gpu, CpuSide& cpu) {
  GuardedJob job(call, gpu);
  job.run_beside(cpu);
  return job.complete(cpu);
}

}  // namespace duoblas
