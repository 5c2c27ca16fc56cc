#include "tuner/strategy_plan.hpp"

#include <duoblas/error.hpp>

namespace duoblas {

const std::vector<std::string>& strategy_names() {
  static const std::vector<std::string> names = {"cpu",         "gpu",     "simple", "hybrid",
                                                 "gpu_cotuned", "cpu_all", "auto"};
  return names;
}

bool uses_gpu(const std::string& strategy) {
  return strategy != "cpu" && strategy != "cpu_all" && strategy != "auto";
}

TunedChoice gpu_only(TunedChoice choice) {
  choice.share.gpu_parts = choice.share.parts;
  return choice;
}

Plan strategy_plan(const std::string& strategy, const GemmProblem& problem,
                   const PlanMachine& machine, const TunedPoint* point) {
  if (strategy == "cpu") return cpu_plan(machine.cpu_for(problem.precision), Reason::as_told);
  if (strategy == "cpu_all")
    return cpu_plan(machine.cpu_all_for(problem.precision), Reason::as_told);
  if (strategy == "auto") return make_plan(problem, machine, {});
  const auto choice = [&](TunedChoice TunedPoint::*member) {
    if (point == nullptr) return untuned_choice(problem.precision, machine);
    return adapted_choice(point->*member, *point, problem, machine);
  };
  if (strategy == "gpu")
    return plan_choice(problem, machine, gpu_only(choice(&TunedPoint::gpu)), Reason::as_told);
  if (strategy == "gpu_cotuned")
    return plan_choice(problem, machine, gpu_only(choice(&TunedPoint::hybrid)), Reason::as_told);
  if (strategy == "simple")
    return plan_choice(problem, machine, choice(&TunedPoint::simple), Reason::as_told);
  if (strategy == "hybrid")
    return plan_choice(problem, machine, choice(&TunedPoint::hybrid), Reason::as_told);
  throw SettingError("strategy \"" + strategy +
                     "\" is unknown: use cpu, gpu, simple, hybrid, gpu_cotuned, cpu_all or auto");
}

}  // namespace duoblas
