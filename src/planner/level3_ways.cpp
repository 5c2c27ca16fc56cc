#include "planner/level3_ways.hpp"

#include <cmath>

namespace duoblas {

Level3Ways::Kind Level3Ways::kind_of(const Level3Problem& p) {
  return {p.routine, p.precision, p.side, p.op, std::ilogb(flops(p))};
}

Level3Choice Level3Ways::choose(const Level3Problem& p, double job, double halves) {
  const std::lock_guard guard(mutex_);
  std::array<WayTimes, 3>& ways = kinds_[kind_of(p)];
  std::array<double, 2> expected{job, halves};
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (ways[i].is_known()) expected[i] = ways[i].per_flop() * flops(p);
  const std::size_t better = expected[0] <= expected[1] ? 0 : 1, other = 1 - better;
  // The better way first, until it is known what there is to gain on.
  const bool tries_other = ways[better].is_known() && ways[other].chosen < tries &&
                           expected[other] < worth_a_try * expected[better];
  const std::size_t chosen = tries_other ? other : better;
  ++ways[chosen].chosen;
  return static_cast<Level3Choice>(chosen);
}

std::optional<double> Level3Ways::seen_seconds(const Level3Problem& p, Level3Choice choice) {
  const std::lock_guard guard(mutex_);
  const auto kind = kinds_.find(kind_of(p));
  if (kind == kinds_.end()) return {};
  const WayTimes& way = kind->second[static_cast<std::size_t>(choice)];
  if (!way.is_known()) return {};
  return way.per_flop() * flops(p);
}

void Level3Ways::saw(const Level3Problem& p, Level3Choice choice, double seconds) {
  const std::lock_guard guard(mutex_);
  kinds_[kind_of(p)][static_cast<std::size_t>(choice)].saw(seconds, flops(p));
}

}  // namespace duoblas
