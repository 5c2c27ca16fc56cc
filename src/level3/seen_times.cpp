// Who does a level-3 call, by what such calls took.
#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "engine/background_work.hpp"
#include "level3/blocked_level3.hpp"
#include "level3/call_steps.hpp"

namespace duoblas {
namespace {

// The learner bounds what that costs.
bool finds_out(const std::vector<CallStep>& steps) {
  return std::ranges::any_of(steps, [](const CallStep& step) {
    const auto* product = std::get_if<PlannedProduct>(&step);
    return product != nullptr && product->plan.forecast && product->plan.forecast->explores;
  });
}

/// How the whole call was done; nothing: in some mixed way.
std::optional<Way> way_taken(const Decision& decision, const Outcome& did) {
  const bool has_job = first_job(decision.steps) != nullptr;
  if (did.recovered) return did.was_declined && has_job ? std::optional(Way::job) : std::nullopt;
  if (did.used_gpu) return has_job ? Way::job : Way::halves;
  return decision.steps.size() == 1 ? std::optional(Way::plain) : std::nullopt;
}

}  // namespace

// Where only the products of halves are below the crossover, one job has been compared.
bool is_choice(const Engine& engine, const Level3Problem& p, const Decision& decision) {
  if (p.only_scales_c()) return false;
  return decision.reason != Reason::below_crossover ||
         (flops(p) >= smallest_flops(engine, p.routine, p.precision) && !is_too_short(engine, p));
}

const DeviceCall* first_job(const std::vector<CallStep>& steps) {
  for (const CallStep& step : steps)
    if (const auto* job = std::get_if<DeviceCall>(&step)) return job;
  return nullptr;
}

CallClass call_class(Engine& engine, const Level3Problem& p) {
  const Circumstances now = engine.learning().learner().circumstances();
  const bool has_other_math = engine.plans().request().math != engine.settings().math;
  const bool is_unusual = now.contended || now.unusual != 0 || has_other_math;
  return class_of(p, is_unusual ? CallsAre::unusual : CallsAre::usual);
}

bool beats_cpu(Engine& engine, const Level3Problem& p, const WayEstimate& way, double cpu_seconds) {
  return engine.learning().choose(call_class(engine, p), {way, {Way::plain, cpu_seconds}}) !=
         Way::plain;
}

bool device_beats_cpu(Engine& engine, const Level3Problem& p, const std::vector<CallStep>& steps,
                      double of_halves) {
  if (finds_out(steps)) return true;
  const DeviceCall* job = first_job(steps);
  const double cpu = estimated_cpu_seconds(engine, p);
  const double seconds = job != nullptr ? job->plan.expected_seconds : of_halves;
  return beats_cpu(engine, p, {job != nullptr ? Way::job : Way::halves, std::min(seconds, cpu)},
                   cpu);
}

void remember(Engine& engine, const Level3Problem& p, const Decision& decision, const Outcome& did,
              const CallClass& call) {
  if (!is_choice(engine, p, decision)) return;
  const auto way = way_taken(decision, did);
  if (!way) return;
  // Beside kernels that are built the CPU may be slow.
  const bool is_disturbed = *way == Way::plain && (did.plan.reason == Reason::kernels_building ||
                                                   background_work_is_running());
  engine.learning().observe(is_disturbed ? as_unusual(call) : call, *way, did.times.whole);
}

}  // namespace duoblas
