// Turns are fair: nobody runs behind a slow neighbour more often than others do.
#include "tuner/order_of_round.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(OrderOfRound, PutsEachBehindEachOtherEquallyOften) {
  for (std::size_t count = 1; count <= 12; ++count)
    for (const unsigned seed : {1u, 7u}) {
      const int rounds = static_cast<int>(count) * (count % 2 == 0 ? 1 : 2);
      std::map<std::pair<std::size_t, std::size_t>, int> behind;
      std::map<std::size_t, int> firsts, lasts;
      for (int round = 0; round < rounds; ++round) {
        const auto order = order_of_round(count, round, seed);
        EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), count);
        EXPECT_EQ(*std::ranges::max_element(order), count - 1);
        for (std::size_t i = 1; i < count; ++i) ++behind[{order[i - 1], order[i]}];
        ++firsts[order.front()];
        ++lasts[order.back()];
      }
      EXPECT_EQ(behind.size(), count * (count - 1)) << count;
      const int times = rounds / static_cast<int>(count);
      for (const auto& [pair, number] : behind) EXPECT_EQ(number, times) << count;
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(firsts[i], times);
        EXPECT_EQ(lasts[i], times);
      }
    }
}

TEST(OrderOfRound, IsAnotherWithAnotherSeedAndInLaterRounds) {
  EXPECT_EQ(order_of_round(6, 3, 1), order_of_round(6, 3, 1));
  std::set<std::vector<std::size_t>> orders;
  for (const unsigned seed : {1u, 11u, 21u, 31u})
    for (const int round : {0, 6, 12}) orders.insert(order_of_round(6, round, seed));
  EXPECT_GT(orders.size(), 10u);
  EXPECT_TRUE(order_of_round(0, 3, 1).empty());
}

}  // namespace
}  // namespace duoblas
