// Halving, phase 4: the order of the best few.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tuner/search/halving.hpp"

namespace duoblas {
namespace {

constexpr std::size_t most_finalists = 5;
constexpr int rounds_at_once = 5;
constexpr int most_turns = 24;
// Differences below `worth` need no decision, and those above `open_range` are clear.
constexpr double worth = 0.01;
constexpr double open_range = 0.05;
// A difference of two medians decides from this many standard errors of a mean on. The error of a
// median is 1.25 times as large as a mean's.
constexpr double deciding = 2 * 1.25;

}  // namespace

Walk<void> Halving::final_comparison() {
  for (int turn = 0; turn < most_turns; ++turn) {
    const std::vector<Candidate> ranked = ranking();
    if (ranked.empty()) co_return;
    const double spread = std::max(deviation(), 1e-4);
    const auto count = [&](const Candidate& c) {
      return static_cast<double>(seen().samples(both_trial(c)).size());
    };
    std::vector<Trial> trials(1, both_trial(ranked.front()));
    for (const Candidate& rival : ranked) {
      if (rival == ranked.front() || trials.size() >= most_finalists) continue;
      const double behind = score(rival) / score(ranked.front()) - 1;
      const double doubt =
          deciding * spread * std::sqrt(1 / count(rival) + 1 / count(ranked.front()));
      const bool decided = behind > doubt || behind > open_range;
      const bool equal = std::abs(behind) + doubt < worth;
      if (!decided && !equal) trials.push_back(both_trial(rival));
    }
    if (trials.size() == 1) co_return;
    const double left = task().budget_seconds - spent();
    const double each = std::max(call_seconds(), 1e-9) * static_cast<double>(trials.size());
    const int rounds = static_cast<int>(std::min<double>(rounds_at_once, left / each));
    if (rounds < 1) co_return;
    co_await run(std::move(trials), rounds);
  }
}

}  // namespace duoblas
