#include "tuner/search/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <vector>

namespace duoblas {
namespace {

// From taking a step that costs 20 % in one of three cases, to hardly one that costs 1 %.
constexpr double hot = 0.2;
constexpr double cold = 0.002;
// With a budget that never ends the steps do.
constexpr int most_steps = 20000;

}  // namespace

Annealing::Annealing(SearchTask task) : WalkingStrategy(std::move(task)), axes_(space()) {}

Candidate Annealing::random_step(const Candidate& from) {
  const auto& axes = axes_.all();
  if (axes.empty()) return from;
  const int axis = axes[static_cast<std::size_t>(random_below(static_cast<int>(axes.size())))];
  const std::vector<Candidate> line = axes_.along(from, axis);
  const auto here = std::ranges::find(line, from) - line.begin();
  const auto there = here + (random_below(2) == 0 ? -1 : 1);
  if (there < 0 || there >= std::ssize(line)) return from;
  return line[static_cast<std::size_t>(there)];
}

Walk<void> Annealing::walk() {
  Candidate here = first_candidate(space());
  double score_here = co_await score_of(here);
  for (int step = 0; step < most_steps; ++step) {
    // Among candidates that all fail there is no way on but a jump.
    std::optional<Candidate> there = random_step(here);
    if (!std::isfinite(score_here)) there = random_unknown();
    if (!there) co_return;
    const double score_there = co_await score_of(*there);
    const double done = std::min(
        1.0, std::max(spent() / task().budget_seconds, static_cast<double>(step) / most_steps));
    const double temperature = hot * std::pow(cold / hot, done);
    const double luck = static_cast<double>(random()()) / static_cast<double>(std::mt19937::max());
    const bool take = score_there <= score_here ||
                      std::log(score_there / score_here) < -temperature * std::log(luck);
    if (!take) continue;
    here = *there;
    score_here = score_there;
  }
}

}  // namespace duoblas
