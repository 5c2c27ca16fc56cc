// The memory of lines that a level-3 job has apart.
#include "gpu/level3/lines_apart.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "memory/page_arena.hpp"

namespace duoblas::test {
namespace {

TEST(LinesApart, LieAnOddNumberOfCacheLinesFromOneAnother) {
  constexpr std::size_t line = 64;
  for (const std::size_t row_bytes : {4, 60, 64, 68, 128, 4096, 8192, 8196, 8704}) {
    const std::size_t pitch = pitch_apart(row_bytes);
    EXPECT_GE(pitch, row_bytes);
    EXPECT_LT(pitch, row_bytes + 2 * line);
    EXPECT_EQ(pitch % (2 * line), line);
  }
}

// New pages cost as much as a copy to them, and the device's share changes from call to call.
TEST(LinesApart, OfAJobWithALittleMoreAreInTheSameMemory) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  PageArena arena;
  arena.begin(bytes);
  const std::byte* const before = arena.take(bytes);
  arena.begin(bytes + bytes / 8);
  EXPECT_EQ(arena.take(bytes + bytes / 8), before);
}

}  // namespace
}  // namespace duoblas::test
