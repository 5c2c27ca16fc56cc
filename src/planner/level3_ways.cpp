#include "planner/level3_ways.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "timing/median.hpp"

namespace duoblas {

double Level3Ways::Way::per_flop() const {
  const auto count = std::min<std::size_t>(static_cast<std::size_t>(seen - 1), last.size());
  return upper_median(std::vector<double>(last.begin(), last.begin() + static_cast<int>(count)));
}

Level3Ways::Kind Level3Ways::kind_of(const Level3Problem& p) {
  return {p.routine, p.precision, p.side, p.op, std::ilogb(flops(p))};
}

Level3Choice Level3Ways::choose(const Level3Problem& p, double job, double halves) {
  const std::lock_guard guard(mutex_);
  std::array<Way, 3>& ways = kinds_[kind_of(p)];
  std::array<double, 2> expected{job, halves};
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (ways[i].seen > 1) expected[i] = ways[i].per_flop() * flops(p);
  const std::size_t better = expected[0] <= expected[1] ? 0 : 1, other = 1 - better;
  // The better way first, until it is known what there is to gain on.
  const bool tries_other = ways[better].seen > 1 && ways[other].chosen < tries &&
                           expected[other] < worth_a_try * expected[better];
  const std::size_t chosen = tries_other ? other : better;
  ++ways[chosen].chosen;
  return static_cast<Level3Choice>(chosen);
}

std::optional<double> Level3Ways::seen_seconds(const Level3Problem& p, Level3Choice choice) {
  const std::lock_guard guard(mutex_);
  const auto kind = kinds_.find(kind_of(p));
  if (kind == kinds_.end()) return {};
  const Way& way = kind->second[static_cast<std::size_t>(choice)];
  if (way.seen < 2) return {};
  return way.per_flop() * flops(p);
}

void Level3Ways::saw(const Level3Problem& p, Level3Choice choice, double seconds) {
  const std::lock_guard guard(mutex_);
  Way& way = kinds_[kind_of(p)][static_cast<std::size_t>(choice)];
  if (way.seen > 0)
    way.last[static_cast<std::size_t>(way.seen - 1) % way.last.size()] = seconds / flops(p);
  way.seen = std::min(way.seen + 1, 1 << 20);
}

}  // namespace duoblas
