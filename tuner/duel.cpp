#include "tuner/duel.hpp"

#include <algorithm>
#include <cmath>

namespace duoblas {

namespace {

// The fastest of the challengers that are clearly faster than the first, or the first.
std::size_t fastest(const std::vector<Timing>& timings, std::size_t first,
                    const std::vector<std::size_t>& challengers) {
  std::size_t winner = first;
  for (const std::size_t challenger : challengers)
    if (clearly_faster(timings[challenger], timings[first]) &&
        timings[challenger].median < timings[winner].median)
      winner = challenger;
  return winner;
}

}  // namespace

DuelVerdict decide_duel(const std::vector<Timing>& timings, const DuelSides& sides) {
  DuelVerdict verdict;
  verdict.simple =
      *std::ranges::min_element(sides.simple, {}, [&](std::size_t i) { return timings[i].median; });
  verdict.winner = fastest(timings, verdict.simple, sides.challengers);
  return verdict;
}

std::size_t decide_alone(const std::vector<Timing>& timings, std::size_t found,
                         const std::vector<std::size_t>& others) {
  return fastest(timings, found, others);
}

bool is_decided(const std::vector<Timing>& timings, const DuelSides& sides) {
  // Less than this is not worth the time that telling it apart would take.
  constexpr double near = 0.01;
  const auto by_median = [&](std::size_t i) { return timings[i].median; };
  if (sides.challengers.empty()) return true;
  const Timing& simple = timings[*std::ranges::min_element(sides.simple, {}, by_median)];
  const Timing& other = timings[*std::ranges::min_element(sides.challengers, {}, by_median)];
  if (std::abs(other.median / simple.median - 1) < near) return true;
  return clearly_faster(other, simple) || clearly_faster(simple, other);
}

}  // namespace duoblas
