#include "engine/routine_call.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "engine/engine_state.hpp"
#include "engine/launches.hpp"
#include "gpu/device/opened_device.hpp"

namespace duoblas {

void RoutineCall::run_alone(CpuSide& cpu) {
  routine_.run(cpu, plan.cpu, {0, routine_.outputs()}, nullptr);
}

void RoutineCall::require(CpuSide& cpu) {
  if (plan.strategy == Strategy::hybrid) routine_.require(cpu, plan.cpu);
}

void RoutineCall::start(GpuSide& gpu) {
  job_ = routine_.start(gpu, of_gpu(), of_cpu(), plan.sharing, stream_check_.wanted);
}

void RoutineCall::run_beside(CpuSide& cpu) {
  if (of_cpu().count > 0) routine_.run(cpu, plan.cpu, of_cpu(), &has_begun_);
}

bool RoutineCall::take_over(GpuSide& gpu) noexcept try {
  RoutineJob rest = routine_.start(gpu, of_cpu(), {}, plan.sharing, false);
  rest.wait();
  routine_.publish(rest, of_cpu());
  return true;
} catch (const std::exception&) {
  return false;
}

// Not of finished pieces of large updates.
void RoutineCall::give_up() noexcept {
  try {
    job_.wait();
  } catch (const std::exception&) {
    // The CPU's failure is the caller's.
  }
  job_.undo();
}

void RoutineCall::wait() {
  job_.wait();
  is_done_ = true;
}

// If the device had ended before the wait, the time is that of the CPU's end.
GpuJobTimes RoutineCall::times(double now) const {
  return {0, job_.seconds().value_or(now), is_done_ && job_.was_early()};
}

void RoutineCall::finish(CpuSide& cpu) {
  const Interval part = of_gpu();
  const std::int64_t done = job_.outputs_done();
  routine_.run(cpu, plan.cpu, {part.first + done, part.count - done}, nullptr);
}

// Another thread may convict these programs meanwhile; then another kernel is used.
void RoutineCall::begin_check(ResultChecks& checks, GpuSide& gpu, Manner) noexcept try {
  stream_check_ = checks.begin(routine_.number());
  if (stream_check_.wanted) programs_ = routine_.programs(gpu);
} catch (const std::bad_alloc&) {
  stream_check_ = {};  // a check that finds no memory later has no result either
}

// A call that keeps all old values for a check takes longer than others.
PartCheck RoutineCall::check(bool done) {
  PartCheck checked;
  checked.in_times = stream_check_.all;
  checked.is_unusual = stream_check_.all || (stream_check_.wanted && routine_.kept_bytes() > 0);
  if (done && stream_check_.wanted)
    wrong_ = routine_.wrong(job_, of_gpu(), stream_check_.all, stream_check_.seed);
  checked.wrong = wrong_.has_value();
  return checked;
}

Suspect RoutineCall::suspect(const ResultChecks&) const noexcept {
  Suspect suspect;
  try {
    std::snprintf(suspect.call, sizeof suspect.call, "%.100s", routine_.text().c_str());
  } catch (const std::bad_alloc&) {
    std::snprintf(suspect.call, sizeof suspect.call, "a routine");
  }
  return suspect;
}

bool RoutineCall::convict(GpuSide& gpu, const std::string& why) {
  for (const TriedProgram& tried : programs_) gpu.device()->kernels.convict(tried, why);
  routine_.forget_choice(gpu);
  return true;
}

Decision Engine::decide(const StreamRoutine& routine) {
  Decision decision;
  decision.plan = state_->plans.of(routine);
  decision.who = who_of(decision.plan.strategy);
  decision.reason = decision.plan.reason;
  decision.estimate = estimate_of(decision.plan);
  decision.forecast = decision.plan.forecast;
  return decision;
}

Outcome Engine::run(const StreamRoutine& routine) {
  Outcome outcome;
  outcome.products = 1;
  if (routine.outputs() == 0) return outcome;
  Decision decision = decide(routine);
  if (const auto why = state_->why_not(RoutineLaunches(routine), decision.plan))
    decision.plan = cpu_plan(machine().cpu_all_for(routine.precision()), *why);
  return carry_out(routine, std::move(decision));
}

Outcome Engine::carry_out(const StreamRoutine& routine, Decision&& decision) {
  return state_->carry_out(routine, std::move(decision.plan), Manner::decided);
}

Outcome Engine::run(const StreamRoutine& routine, const Plan& plan) {
  return state_->carry_out(routine, Plan(plan), Manner::told);
}

Outcome EngineState::carry_out(const StreamRoutine& routine, Plan&& plan, Manner manner) {
  Outcome outcome;
  outcome.plan = std::move(plan);
  RoutineCall call(routine, outcome);
  carry_out(call, manner);
  logger.call(routine, outcome);
  return outcome;
}

}  // namespace duoblas
