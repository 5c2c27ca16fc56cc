#include "dropin/engine/level3_kernels.hpp"

#include <mutex>
#include <optional>
#include <utility>

#include "engine/background_work.hpp"
#include "level3/blocked_level3.hpp"
#include "level3/smallest_flops.hpp"

namespace duoblas {
namespace {

constinit std::mutex mutex;
// Its matrices may be gone by the time that it is asked for.
constinit std::optional<Level3Problem> largest;

}  // namespace

void note_level3_before_start(const Level3Problem& problem) noexcept {
  const std::lock_guard guard(mutex);
  if (!largest || flops(problem) > flops(*largest)) largest = problem;
}

void build_level3_kernels(Engine& engine) {
  std::optional<Level3Problem> problem;
  {
    const std::lock_guard guard(mutex);
    problem = std::exchange(largest, std::nullopt);
  }
  if (!problem || !engine.plans().request().chooses_by_speed()) return;
  if (flops(*problem) < smallest_flops(engine, problem->routine, problem->precision)) return;
  for (const auto& [product, plan] : likely_products(engine, *problem)) {
    if (!background_work_is_wanted()) return;
    engine.readiness().build_here(ProductLaunches(product, plan));
  }
}

}  // namespace duoblas
