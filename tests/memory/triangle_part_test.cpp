// The stored part of a triangle's rows, in pieces of any whole elements.
#include "memory/copy_threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/element_types.hpp"

namespace duoblas::test {
namespace {

constexpr std::size_t columns = 9, rows = 5;

template <typename T>
void expect_stored(const TrianglePart& part, std::size_t of_a_piece) {
  const std::vector<T> from(columns, T(7));
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<T> to(columns + 2, T(-1));
    for (std::size_t first = 0; first < columns; first += of_a_piece) {
      const std::size_t count = std::min(of_a_piece, columns - first);
      copy_stored(part, row, first * sizeof(T), count * sizeof(T),
                  reinterpret_cast<char*>(&to[first + 1]),
                  reinterpret_cast<const char*>(&from[first]));
    }
    EXPECT_EQ(to.front(), T(-1));
    EXPECT_EQ(to.back(), T(-1));
    for (std::size_t column = 0; column < columns; ++column) {
      const std::int64_t beyond =
          static_cast<std::int64_t>(column) - part.diagonal - static_cast<std::int64_t>(row);
      const bool is_stored = part.uplo == Uplo::lower ? beyond <= 0 : beyond >= 0;
      const T expected = !is_stored ? T(0) : beyond == 0 && part.unit ? T(1) : T(7);
      EXPECT_EQ(to[column + 1], expected) << row << ", " << column << " from " << part.diagonal;
    }
  }
}

TEST(TriangleParts, AreCopiedWithZerosBesideThem) {
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const bool unit : {false, true})
        for (std::int64_t diagonal = -7; diagonal < 12; ++diagonal)
          for (const std::size_t of_a_piece : {std::size_t{1}, std::size_t{4}, columns})
            expect_stored<T>({uplo, precision_of<T>, diagonal, unit}, of_a_piece);
  });
}

}  // namespace
}  // namespace duoblas::test
