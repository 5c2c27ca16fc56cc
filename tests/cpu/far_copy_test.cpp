// Copies of vectors whose elements lie far apart.
#include "cpu/far_copy.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace duoblas {
namespace {

constexpr std::byte untouched{0xEE};

struct Vectors {
  std::vector<std::byte> x, y;
  FarCopy copy;
};

Vectors vectors(std::int64_t n, int size, std::ptrdiff_t step_x, std::ptrdiff_t step_y) {
  Vectors made;
  const auto length = [&](std::ptrdiff_t step) {
    return static_cast<std::size_t>((n - 1) * step + size);
  };
  made.x.resize(length(step_x));
  made.y.assign(length(step_y), untouched);
  for (std::size_t i = 0; i < made.x.size(); ++i)
    made.x[i] = static_cast<std::byte>(i * 7 + i / 256);
  made.copy = {n, size, made.x.data(), step_x, made.y.data(), step_y};
  return made;
}

// Every byte of y: an element's, or as it was.
std::vector<std::byte> expected_y(const Vectors& of) {
  std::vector<std::byte> y(of.y.size(), untouched);
  for (std::int64_t i = 0; i < of.copy.n; ++i)
    for (int byte = 0; byte < of.copy.size; ++byte)
      y[static_cast<std::size_t>(i * of.copy.step_y + byte)] =
          of.x[static_cast<std::size_t>(i * of.copy.step_x + byte)];
  return y;
}

TEST(FarCopy, OfAllSizesAndStepsIsRightByAnyNumberOfThreads) {
  ThreadTeam team(3);
  for (const int size : {4, 8, 16})
    for (const std::int64_t n : {1, 2, 3, 17, 513})
      for (const std::ptrdiff_t step_x : {1, 64})
        for (const std::ptrdiff_t step_y : {1, 3, 71})
          for (int threads = 1; threads <= team.size(); ++threads) {
            Vectors of = vectors(n, size, step_x * size, step_y * size);
            copy_by_team(of.copy, team, threads);
            ASSERT_EQ(of.y, expected_y(of)) << size << ' ' << n << ' ' << step_x << ' ' << step_y;
          }
}

TEST(FarCopy, OfAPartLeavesTheOthers) {
  Vectors of = vectors(40, 8, 512, 8);
  const std::vector<std::byte> all = expected_y(of);
  copy_elements(of.copy, 10, 30);
  for (std::size_t i = 0; i < of.y.size(); ++i)
    EXPECT_EQ(of.y[i], i >= 80 && i < 240 ? all[i] : untouched);
}

TEST(FarCopy, KnowsVectorsThatOverlap) {
  std::vector<std::byte> memory(1000);
  std::byte* const at = memory.data();
  EXPECT_TRUE(lie_apart({10, 8, at, 16, at + 152, 8}));
  EXPECT_FALSE(lie_apart({10, 8, at, 16, at + 151, 8}));
  EXPECT_TRUE(lie_apart({10, 8, at + 80, 16, at, 8}));
  EXPECT_FALSE(lie_apart({10, 8, at + 79, 16, at, 8}));
  EXPECT_FALSE(lie_apart({10, 8, at, 16, at, 16}));
  EXPECT_FALSE(lie_apart({10, 8, at, 80, at + 40, 8}));
}

}  // namespace
}  // namespace duoblas
