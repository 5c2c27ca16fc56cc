#include "tuner/kernel_front.hpp"

#include <algorithm>

namespace duoblas {
namespace {

constexpr double too_slow = 1.5;

bool same_memory_use(const KernelParams& x, const KernelParams& y) {
  return x.family == y.family && x.pack_a == y.pack_a && x.pack_b == y.pack_b &&
         x.block_m == y.block_m && x.block_n == y.block_n && x.block_k == y.block_k &&
         x.local_a == y.local_a && x.local_b == y.local_b;
}

}  // namespace

std::vector<std::size_t> diverse_places(const std::vector<RankedKernel>& ranked, std::size_t size) {
  std::vector<std::size_t> front;
  const auto take_where = [&](auto&& wanted) {
    for (std::size_t i = 0; i < ranked.size() && front.size() < size; ++i) {
      const bool taken = std::ranges::find(front, i) != front.end();
      if (!taken && ranked[i].seconds <= too_slow * ranked.front().seconds && wanted(i))
        front.push_back(i);
    }
  };
  take_where([&](std::size_t i) {
    return std::ranges::none_of(front, [&](std::size_t f) {
      return same_memory_use(*ranked[f].kernel, *ranked[i].kernel);
    });
  });
  take_where([](std::size_t) { return true; });
  return front;
}

}  // namespace duoblas
