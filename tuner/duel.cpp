#include "tuner/duel.hpp"

#include <algorithm>

namespace duoblas {

DuelVerdict decide_duel(const std::vector<Timing>& timings, const DuelSides& sides) {
  const auto faster = [&](std::size_t x, std::size_t y) {
    return timings[x].median < timings[y].median;
  };
  DuelVerdict verdict;
  verdict.simple = *std::min_element(sides.simple.begin(), sides.simple.end(), faster);
  verdict.winner = verdict.simple;
  for (const std::size_t challenger : sides.challengers)
    if (clearly_faster(timings[challenger], timings[verdict.simple]) &&
        faster(challenger, verdict.winner))
      verdict.winner = challenger;
  return verdict;
}

}  // namespace duoblas
