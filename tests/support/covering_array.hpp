// Test cases in which every pair of values of any two factors occurs (a 2-way covering array).
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace duoblas::test {

/// Rows of value indices, one per factor, `levels[f]` values for factor f. Greedy: each row starts
/// from a pair that is still missing and takes, factor by factor in random order, the value that
/// covers most missing pairs. The same seed gives the same rows.
inline std::vector<std::vector<int>> covering_array(const std::vector<int>& levels, unsigned seed) {
  using Pair = std::tuple<std::size_t, int, std::size_t, int>;  // factor, value, factor, value
  std::set<Pair> missing;
  for (std::size_t f = 0; f < levels.size(); ++f) {
    for (std::size_t g = f + 1; g < levels.size(); ++g) {
      for (int x = 0; x < levels[f]; ++x) {
        for (int y = 0; y < levels[g]; ++y) missing.emplace(f, x, g, y);
      }
    }
  }
  const auto pair_of = [](std::size_t f, int x, std::size_t g, int y) {
    return f < g ? Pair(f, x, g, y) : Pair(g, y, f, x);
  };

  std::mt19937 engine(seed);
  std::vector<std::vector<int>> rows;
  while (!missing.empty()) {
    std::vector<int> row(levels.size(), -1);
    const auto [f0, x0, g0, y0] = *missing.begin();
    row[f0] = x0;
    row[g0] = y0;
    std::vector<std::size_t> order;
    for (std::size_t f = 0; f < levels.size(); ++f) {
      if (row[f] < 0) order.push_back(f);
    }
    std::shuffle(order.begin(), order.end(), engine);
    for (const std::size_t f : order) {
      int best = 0;
      int best_count = -1;
      const int first = static_cast<int>(engine() % static_cast<unsigned>(levels[f]));
      for (int step = 0; step < levels[f]; ++step) {
        const int value = (first + step) % levels[f];
        int count = 0;
        for (std::size_t g = 0; g < levels.size(); ++g) {
          if (row[g] >= 0) count += static_cast<int>(missing.count(pair_of(f, value, g, row[g])));
        }
        if (count > best_count) {
          best_count = count;
          best = value;
        }
      }
      row[f] = best;
    }
    for (std::size_t f = 0; f < levels.size(); ++f) {
      for (std::size_t g = f + 1; g < levels.size(); ++g) missing.erase({f, row[f], g, row[g]});
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace duoblas::test
