#include "tuner/order_of_round.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace duoblas {

// A Latin square that is balanced for the one before (E. J. Williams, 1949): the steps of 0, 1, -1,
// 2, -2 ... have all lengths, and rounds shift it. If the number is odd, half of the lengths are in
// its mirror image.
std::vector<std::size_t> order_of_round(std::size_t count, int round, unsigned seed) {
  if (count == 0) return {};
  const bool is_odd = count % 2 != 0;
  const auto turn = static_cast<std::size_t>(round), period = (is_odd ? 2 : 1) * count;
  std::vector<std::size_t> names(count);
  std::iota(names.begin(), names.end(), std::size_t{0});
  std::mt19937 random(seed + static_cast<unsigned>(turn / period));
  std::shuffle(names.begin(), names.end(), random);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t zigzag = i % 2 == 1 ? (i + 1) / 2 : count - i / 2;
    order.push_back(names[(zigzag + turn) % count]);
  }
  if (is_odd && turn % 2 == 1) std::ranges::reverse(order);
  return order;
}

}  // namespace duoblas
