#include "cpu/far_copy.hpp"

#include <cstring>

namespace duoblas {
namespace {

template <int size>
void copy_elements_of(const FarCopy& copy, std::int64_t begin, std::int64_t end) {
  const std::byte* x = copy.x + begin * copy.step_x;
  std::byte* y = copy.y + begin * copy.step_y;
  for (std::int64_t i = begin; i < end; ++i, x += copy.step_x, y += copy.step_y)
    std::memcpy(y, x, size);
}

}  // namespace

bool lie_apart(const FarCopy& copy) {
  const auto address = [](const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); };
  const auto length = [&](std::ptrdiff_t step) {
    return static_cast<std::uintptr_t>((copy.n - 1) * step + copy.size);
  };
  const auto x = address(copy.x), y = address(copy.y);
  return x + length(copy.step_x) <= y || y + length(copy.step_y) <= x;
}

void copy_elements(const FarCopy& copy, std::int64_t begin, std::int64_t end) {
  switch (copy.size) {
    case 4: return copy_elements_of<4>(copy, begin, end);
    case 8: return copy_elements_of<8>(copy, begin, end);
    default: return copy_elements_of<16>(copy, begin, end);
  }
}

void copy_by_team(const FarCopy& copy, ThreadTeam& team, int threads) {
  team.run(threads, [&](int thread) {
    copy_elements(copy, copy.n * thread / threads, copy.n * (thread + 1) / threads);
  });
}

}  // namespace duoblas
