// Calls that memory bounds: planned by their bytes, and by what such calls took.
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

#include "engine/engine_state.hpp"
#include "engine/hybrid_gemv.hpp"
#include "gpu/gemv.hpp"
#include "gpu/opened_device.hpp"
#include "gpu/resident_matrix.hpp"
#include "planner/stream_plan.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// Of a call's family: what decides which code of either side runs.
std::uint64_t routine_number(const GemvProblem& p, bool resident) {
  std::uint64_t number = 1;
  for (const int choice : {static_cast<int>(precision_index(p.precision)), int{p.transposes},
                           int{p.conjugates}, int{p.overwrites_y()}, int{resident}})
    number = number * 8 + static_cast<std::uint64_t>(choice);
  return number;
}

StreamCall stream_call(const GemvProblem& p, const GemvKernel& kernel, const PlanMachine& facts,
                       bool resident) {
  StreamCall call;
  call.precision = p.precision;
  call.outputs = p.outputs();
  call.unit = kernel.lines * (p.transposes ? kernel.across * kernel.vector_width : 1);
  call.bytes = traffic_bytes(p);
  call.device_copies = copies(facts.sharing) && !resident;
  call.device_has_it = copies(facts.sharing) && resident;
  return call;
}

CallTimes call_times(const Outcome& outcome) {
  CallTimes took;
  took.whole = outcome.times.whole;
  const auto set = [&took](Timed what, double seconds) { took.seconds[place_of(what)] = seconds; };
  switch (outcome.plan.strategy) {
    case Strategy::gpu: set(Timed::gpu_alone, took.whole); break;
    case Strategy::hybrid:
      set(Timed::gpu_side, outcome.times.gpu);
      set(Timed::cpu_side, outcome.times.cpu);
      took.gpu_at_most = outcome.times.gpu_at_most;
      break;
    default: set(Timed::cpu_all, took.whole);
  }
  return took;
}

// Under which results of gemv are counted: no kernel of gemm has no part of k.
KernelParams no_gemm_kernel() {
  KernelParams none;
  none.k_split = 0;
  return none;
}

}  // namespace

Plan Engine::planned(const GemvProblem& problem, const ResidentMatrix* a) {
  if (state_->in_child()) return state_->child_plan();
  const CpuConfig& cpu_all = state_->machine.cpu_all();
  const PlanRequest wanted = state_->request();
  if (wanted.strategy == Strategy::cpu) return cpu_plan(cpu_all, Reason::cpu_asked_for);
  if (problem.empty() || problem.only_scales_y()) return cpu_plan(cpu_all, Reason::only_scales);
  if (wanted.chooses_by_speed() && traffic_bytes(problem) < smallest_stream_bytes)
    return cpu_plan(cpu_all, Reason::too_small);
  const Findings& findings = state_->open();
  const PlanMachine& facts = findings.facts;
  const CpuConfig& all_cores = facts.cpu_all_for(problem.precision);
  if (!facts.has_gpu) return cpu_plan(all_cores, Reason::no_device);
  if (state_->gpu_is_away()) return cpu_plan(all_cores, state_->why_away());
  const bool resident = a != nullptr && a->is_on(*findings.gpu->device());
  const StreamCall call =
      stream_call(problem, default_gemv_kernel(facts.device, problem.precision, problem.transposes),
                  facts, resident);
  if (!state_->adapts()) return make_stream_plan(call, facts, wanted, {}, nullptr);
  if (!state_->has_recalled.load(std::memory_order_acquire)) recall();
  const CallKind kind = kind_of_stream(routine_number(problem, resident), problem.outputs(),
                                       problem.terms(), state_->learner.circumstances());
  // Rates are a guess: as uncertain as another device's.
  LearnedTimes known = state_->learner.learned(kind, facts.match < ProfileMatch::device);
  if (background_work_is_under_way()) known.allowance = std::min(known.allowance, 0.0);
  Plan plan = make_stream_plan(call, facts, wanted, {}, &known);
  if (plan.forecast) plan.forecast->kind = kind;
  return plan;
}

Outcome Engine::run(const GemvProblem& problem, const ResidentMatrix* a) {
  Outcome outcome;
  outcome.products = 1;
  Plan& plan = outcome.plan = planned(problem, a);
  if (problem.empty()) return outcome;
  const auto forecast = plan.forecast;
  const Strategy decided = plan.strategy;
  CallLearner::Scope scope(state_->learner);
  State::Admission admission = state_->admit(*this, plan);
  if (plan.uses_gpu() && !admission.pass) {
    const Reason why = admission.gpu == nullptr ? Reason::no_gpu_now
                       : admission.rests        ? Reason::gpu_short_of_memory
                                                : Reason::gpu_busy;
    plan = cpu_plan(machine().cpu_all_for(problem.precision), why);
  }
  bool starts = false;
  if (!admission.pass) {
    const Stopwatch watch;
    cpu().run(problem, plan.cpu);
    outcome.times.cpu = outcome.times.whole = watch.seconds();
    starts = !state_->cpu_alone_has_run.exchange(true);
  } else {
    GpuSide& gpu = *admission.gpu;
    const GemvKernel kernel =
        default_gemv_kernel(gpu.limits(), problem.precision, problem.transposes);
    {
      const std::lock_guard guard(gpu.device()->mutex);
      starts = !has_gemv(*gpu.device(), problem, kernel);
    }
    const HybridOutcome did =
        hybrid_gemv(gpu, cpu(), problem, plan, kernel, a, [&](const GemmProblem& of_sums) {
          return state_->checks.begin(of_sums, no_gemm_kernel(), false);
        });
    note_gemv_check(gpu, problem, kernel, did);
    state_->say_trials(gpu);
    state_->settle(outcome, did);
  }
  const bool as_decided = plan.strategy == decided && !outcome.recovered;
  if (forecast && as_decided && !starts) scope.note(*forecast, call_times(outcome));
  state_->narrator.call(problem, outcome);
  return outcome;
}

// As note_check() of a product.
void Engine::note_gemv_check(GpuSide& gpu, const GemvProblem& problem, const GemvKernel& kernel,
                             const HybridOutcome& did) {
  if (did.check || did.gpu_failure.empty()) {
    GemmProblem of_class;
    of_class.precision = problem.precision;
    of_class.m = 1;
    of_class.n = std::max<std::int64_t>(1, problem.outputs());
    of_class.k = std::max<std::int64_t>(1, problem.terms());
    state_->checks.ended(of_class, no_gemm_kernel(), did);
  }
  if (!did.is_wrong()) return;
  OpenedDevice& device = *gpu.device();
  {
    const std::lock_guard guard(device.mutex);
    for (const bool aligned : {true, false})
      device.routines.convict(gemv_program(problem, kernel, aligned), did.gpu_failure);
  }
  state_->wrong_kernels.fetch_add(1);
  char line[600];
  std::snprintf(line, sizeof line,
                "%cgemv on %s: %.300s. The CPU computed it again, and %s. Earlier results of this "
                "kernel that were not checked may be wrong (DUOBLAS_CHECK=always checks every one)",
                letter(problem.precision), gpu.info().name.c_str(), did.gpu_failure.c_str(),
                state_->is_distrusted() ? "computes everything from now on"
                                        : "this kernel is not used any more");
  state_->narrator.wrong_result(line);
}

}  // namespace duoblas
