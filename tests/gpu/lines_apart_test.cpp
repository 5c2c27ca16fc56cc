#include "gpu/lines_apart.hpp"

#include <gtest/gtest.h>

#include <cstddef>

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

}  // namespace
}  // namespace duoblas::test
