// Batches as row-major groups.
#include "problem/batch_problem.hpp"

#include <gtest/gtest.h>

#include <set>

namespace duoblas {
namespace {

// Whether any two Cs have an element in common, element by element.
bool overlap(std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t stride,
             std::int64_t count) {
  std::set<std::int64_t> taken;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        if (!taken.insert(i * stride + row * ld + column).second) return true;
  return false;
}

TEST(MatricesOfABatch, AreApartExactlyWhereTheyShareNoElement) {
  int apart = 0, together = 0;
  for (std::int64_t rows = 1; rows <= 4; ++rows)
    for (std::int64_t columns = 1; columns <= 3; ++columns)
      for (std::int64_t ld = columns; ld <= 9; ++ld)
        for (std::int64_t stride = 0; stride <= 30; ++stride)
          for (std::int64_t count = 1; count <= 5; ++count) {
            const bool expected = !overlap(rows, columns, ld, stride, count);
            ASSERT_EQ(are_apart(rows, columns, ld, stride, count), expected)
                << rows << 'x' << columns << " ld " << ld << " stride " << stride << " count "
                << count;
            ++(expected ? apart : together);
          }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(together, 1000);
}

}  // namespace
}  // namespace duoblas
