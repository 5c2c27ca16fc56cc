// Memory-bound calls: decided and carried out as products are.
#include <utility>

#include "engine/engine_state.hpp"
#include "engine/launches.hpp"
#include "engine/routine_call.hpp"

namespace duoblas {

Decision Engine::decide(const StreamRoutine& routine) {
  Decision decision;
  decision.plan = state_->plans.of(routine);
  decision.who = who_of(decision.plan.strategy);
  decision.reason = decision.plan.reason;
  decision.estimate.cpu_seconds = decision.plan.cpu_only_seconds;
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
