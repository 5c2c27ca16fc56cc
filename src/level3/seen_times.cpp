// Who does a level-3 call, by what such calls took.
#include <algorithm>
#include <cmath>
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

// Calls that are never the device's: nothing is chosen by them, and they may take microseconds.
// Where only the products of halves are below the crossover, one job has been compared.
bool is_never_the_devices(const Engine& engine, const Level3Problem& p, const Decision& decision) {
  return decision.reason == Reason::below_crossover &&
         (flops(p) < smallest_flops(engine, p.routine, p.precision) || is_too_short(engine, p));
}

/// How the whole call was done; nothing: in some mixed way, or there was nothing to multiply.
std::optional<Level3Variant> variant_taken(const Level3Problem& p, const Decision& decision,
                                           const Outcome& did) {
  if (p.only_scales_c()) return {};
  const bool has_job = first_job(decision.steps) != nullptr;
  if (did.recovered)
    return did.was_declined && has_job ? std::optional(Level3Variant::job) : std::nullopt;
  if (did.used_gpu) return has_job ? Level3Variant::job : Level3Variant::halves;
  return decision.steps.size() == 1 ? std::optional(Level3Variant::cpu) : std::nullopt;
}

}  // namespace

const DeviceCall* first_job(const std::vector<CallStep>& steps) {
  for (const CallStep& step : steps)
    if (const auto* job = std::get_if<DeviceCall>(&step)) return job;
  return nullptr;
}

CallsAre calls_are(Engine& engine) {
  const Circumstances now = engine.learning().learner().circumstances();
  const bool has_other_math = engine.plans().request().math != engine.settings().math;
  return now.contended || now.unusual != 0 || has_other_math ? CallsAre::unusual : CallsAre::usual;
}

bool beats_cpu(Engine& engine, const Level3Problem& p, const Level3Gain& expected) {
  Level3Selector& selector = engine.learning().level3_selector();
  const CallsAre calls = calls_are(engine);
  const auto of_way = selector.seen_seconds(p, expected.variant, calls);
  const auto of_cpu = selector.seen_seconds(p, Level3Variant::cpu, calls);
  const double gpu = of_way.value_or(expected.seconds), cpu = of_cpu.value_or(expected.cpu_seconds);
  bool is_gpu = expected.gains;
  if (of_way) is_gpu = of_cpu ? gpu < cpu : gains(gpu, cpu);
  const Level3Variant slower = is_gpu ? Level3Variant::cpu : expected.variant;
  return is_gpu != selector.looks_at(p, slower, std::abs(gpu - cpu), calls);
}

bool device_beats_cpu(Engine& engine, const Level3Problem& p, const std::vector<CallStep>& steps,
                      double of_halves) {
  if (finds_out(steps)) return true;
  const DeviceCall* job = first_job(steps);
  return beats_cpu(engine, p,
                   {job != nullptr ? Level3Variant::job : Level3Variant::halves,
                    job != nullptr ? job->plan.expected_seconds : of_halves,
                    estimated_cpu_seconds(engine, p), true});
}

void remember(Engine& engine, const Level3Problem& p, const Decision& decision, const Outcome& did,
              CallsAre calls) {
  if (is_never_the_devices(engine, p, decision)) return;
  const auto variant = variant_taken(p, decision, did);
  if (!variant) return;
  // Beside kernels that are built the CPU may be slow.
  const bool is_disturbed =
      *variant == Level3Variant::cpu &&
      (did.plan.reason == Reason::kernels_building || background_work_is_running());
  engine.learning().level3_selector().saw(p, *variant, did.times.whole,
                                          is_disturbed ? CallsAre::unusual : calls);
  if (calls == CallsAre::usual) engine.learning().learner().note_other();
}

}  // namespace duoblas
