#include "tuner/final_decision.hpp"

#include <algorithm>
#include <cmath>

namespace duoblas {

FinalVerdict decide_final(const std::vector<Timing>& timings, const FinalSides& sides) {
  const auto faster = [&](std::size_t x, std::size_t y) {
    return timings[x].median < timings[y].median;
  };
  FinalVerdict verdict;
  verdict.simple = *std::min_element(sides.simple.begin(), sides.simple.end(), faster);
  verdict.winner = verdict.simple;
  for (const std::size_t challenger : sides.challengers)
    if (clearly_faster(timings[challenger], timings[verdict.simple]) &&
        faster(challenger, verdict.winner))
      verdict.winner = challenger;
  return verdict;
}

bool is_decided(const std::vector<Timing>& timings, const FinalSides& sides) {
  // A smaller difference is not worth the time to measure it.
  constexpr double near = 0.01;
  const auto by_median = [&](std::size_t i) { return timings[i].median; };
  if (sides.challengers.empty()) return true;
  const Timing& simple = timings[*std::ranges::min_element(sides.simple, {}, by_median)];
  const Timing& other = timings[*std::ranges::min_element(sides.challengers, {}, by_median)];
  if (std::abs(other.median / simple.median - 1) < near) return true;
  return clearly_faster(other, simple) || clearly_faster(simple, other);
}

}  // namespace duoblas
