// Calls of several products whose order is the caller's.
#include "engine/engine_state.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

void Engine::say(const LapackProblem& problem, const Decision& decision, const Outcome& outcome) {
  state_->narrator.call(problem, decision, outcome);
}

LapackWays& Engine::lapack_ways() {
  return state_->lapack_ways;
}

Outcome Engine::carry_out(const PlannedProduct& first, const DeviceSteps& steps) {
  Outcome outcome;
  outcome.plan = first.plan;
  State::Admission admission = state_->admit(*this, first.plan);
  if (admission.pass && waits_for_trials(*admission.gpu, first.problem, first.plan)) {
    outcome.plan.reason = Reason::kernels_building;
    admission.pass.reset();
  } else if (!admission.pass) {
    outcome.plan.reason = state_->in_child()         ? Reason::forked_child
                          : admission.gpu == nullptr ? Reason::no_gpu_now
                          : admission.rests          ? Reason::gpu_short_of_memory
                                                     : Reason::gpu_busy;
  }

  class Held final : public DeviceUpdates {
   public:
    Held(State& state, CpuSide& cpu, GpuSide* gpu, Outcome& outcome)
        : state_(state), cpu_(cpu), gpu_(gpu), outcome_(outcome) {}

    void update(const PlannedProduct& part, const GemmProblem& written,
                const std::function<void()>& beside) override {
      ++outcome_.products;
      Plan plan = part.plan;
      const auto kernel = gpu_ != nullptr ? gpu_->launchable(plan.kernel, part.problem.precision)
                                          : std::optional<KernelParams>();
      if (!kernel) {
        beside();
        cpu_.run(part.problem, plan.cpu);
        return;
      }
      plan.kernel = *kernel;
      auto check = state_.checks.begin(part.problem, plan.kernel, false);
      const HybridOutcome did = hybrid_gemm(*gpu_, cpu_, {part.problem, written}, plan, beside, {},
                                            check ? &*check : nullptr);
      if (check && !check->beside && !did.check_in_times)
        outcome_.check_seconds += check->check.seconds();
      outcome_.check_in_times |= did.check_in_times;
      check.reset();
      state_.note_check(*gpu_, part.problem, plan, did);
      state_.say_trials(*gpu_);
      Outcome step;
      step.plan = plan;
      step.used_gpu = did.gpu_failure.empty();
      step.recovered = !step.used_gpu;
      if (step.used_gpu) state_.gpu_has_run.store(true);
      state_.note_failure(step, did);
      outcome_.used_gpu |= step.used_gpu;
      if (!step.recovered) return;
      // The CPU goes on alone.
      outcome_.recovered = true;
      outcome_.plan.reason = step.plan.reason;
      gpu_ = nullptr;
    }

   private:
    State& state_;
    CpuSide& cpu_;
    GpuSide* gpu_;  ///< null: there is none now
    Outcome& outcome_;
  };

  const Stopwatch watch;
  Held held(*state_, cpu(), admission.pass ? admission.gpu : nullptr, outcome);
  steps(held);
  outcome.times.whole = outcome.times.cpu = watch.seconds() - outcome.check_seconds;
  return outcome;
}

}  // namespace duoblas
