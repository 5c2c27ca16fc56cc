// A copy of what a factorisation updates: each rectangle that is put back is as it was, and nothing
// else is written.
#include "lapack/saved_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

// Of the stored elements those in the rectangle are as in `before`, and all others are zeros.
template <typename T>
int wrong_elements(const Definite<T>& matrix, const Definite<T>& before, const Lines& rows,
                   const Lines& columns) {
  const auto is_in = [](const Lines& lines, std::int64_t line) {
    return line >= lines.first && line < lines.end;
  };
  int wrong = 0;
  for (std::int64_t j = 0; j < matrix.n; ++j)
    for (std::int64_t i = j; i < matrix.n; ++i) {
      const bool is_lower = matrix.uplo == Uplo::lower;
      const T now = is_lower ? matrix.stored.at(j, i) : matrix.stored.at(i, j);
      const T old = is_lower ? before.stored.at(j, i) : before.stored.at(i, j);
      const T expected = is_in(rows, i) && is_in(columns, j) ? old : T(0);
      wrong += now != expected && !(is_nan(now) && is_nan(expected));
    }
  return wrong;
}

template <typename T>
bool are_stored_alike(const Definite<T>& one, const Definite<T>& other) {
  return wrong_elements(one, other, {0, one.n}, {0, one.n}) == 0;
}

template <typename T>
void fill_with_zeros(Definite<T>& matrix) {
  for (std::int64_t j = 0; j < matrix.n; ++j)
    for (std::int64_t i = 0; i < matrix.n; ++i)
      if (matrix.is_stored(i, j)) matrix.stored.at(j, i) = T(0);
}

template <typename T>
void expect_put_back(std::int64_t n, std::int64_t first, Uplo uplo) {
  SCOPED_TRACE(std::to_string(n) + " from " + std::to_string(first) +
               (uplo == Uplo::lower ? ", lower" : ", upper"));
  Definite<T> matrix(n, uplo, 3, 5);
  const Definite<T> before = matrix;
  const LapackProblem p = matrix.problem(LapackRoutine::potrf);
  SavedMatrix kept(p, first);
  EXPECT_TRUE(kept.have(first));
  EXPECT_FALSE(kept.have(first - 1));
  const std::int64_t middle = (first + n) / 2;
  kept.wait_for(middle);
  const auto expect_right = [&](const Lines& rows, const Lines& columns) {
    fill_with_zeros(matrix);
    kept.put_back(rows, columns);
    EXPECT_EQ(wrong_elements(matrix, before, rows, columns), 0);
    EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
    EXPECT_TRUE(matrix.stored.guards_untouched());
  };
  // What is not waited for may be copied later, so nothing of it is overwritten before.
  kept.put_back({middle, n}, {first, middle});
  EXPECT_TRUE(are_stored_alike(matrix, before));
  kept.wait_for(n);
  expect_right({middle, n}, {first, middle});
  expect_right({first + 1, n}, {first, first + 1});
  expect_right({n - 1, n}, {first, n - 1});
  expect_right({n - 2, n}, {middle, n - 2});
  expect_right({middle + 3, n - 1}, {first + 5, middle + 1});
}

TEST(SavedMatrix, BringsRectanglesBack) {
  const auto for_orders = [](auto zero) {
    using T = decltype(zero);
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const auto& [n, first] : {Shape{40, 16}, {64, 0}, {129, 1}, {200, 8}, {300, 44}})
        expect_put_back<T>(n, first, uplo);
  };
  for_orders(float());
  for_orders(double());
  for_orders(std::complex<double>());
}

// From line 44 on there are 40,960 elements in rectangles of 64 columns, and from 108 on 24,576.
TEST(SavedMatrix, BeginsLaterWhereThereIsNoRoomForAll) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    Definite<double> matrix(300, uplo, 3, 5);
    const Definite<double> before = matrix;
    const LapackProblem p = matrix.problem(LapackRoutine::potrf);
    SavedMatrix kept(p, 44, 25000 * sizeof(double));
    EXPECT_FALSE(kept.have(107));
    EXPECT_TRUE(kept.have(108));
    kept.wait_for(100);
    kept.wait_for(300);
    for (const std::int64_t middle : {109, 200, 299}) {
      fill_with_zeros(matrix);
      kept.put_back({middle, 300}, {108, middle});
      EXPECT_EQ(wrong_elements(matrix, before, {middle, 300}, {108, middle}), 0);
    }
    EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
  }
}

// Columns of 1,000 doubles are copied 32 at a time, the last ones first.
TEST(SavedMatrix, BringsColumnsOfLuBack) {
  constexpr std::int64_t rows = 1000, columns = 150, ld = 1003;
  std::vector<double> matrix(static_cast<std::size_t>(ld * columns));
  std::iota(matrix.begin(), matrix.end(), 1.0);
  const std::vector<double> before = matrix;
  LapackProblem p;
  p.routine = LapackRoutine::getrf;
  p.precision = Precision::d;
  p.m = rows;
  p.n = columns;
  p.a = matrix.data();
  p.lda = ld;
  for (const auto& [first, most_columns, kept_from] :
       {std::array<std::int64_t, 3>{20, 130, 20}, {20, 100, 52}, {149, 1, 149}}) {
    SCOPED_TRACE(first);
    matrix = before;
    SavedMatrix kept(p, first, static_cast<std::size_t>(most_columns * rows) * sizeof(double));
    EXPECT_FALSE(kept.have(kept_from - 1));
    ASSERT_TRUE(kept.have(kept_from));
    for (const std::int64_t from : {columns - 1, kept_from + 40, kept_from}) {
      if (from >= columns) continue;
      kept.wait_for(from);
      const auto at = static_cast<std::ptrdiff_t>(from * ld);
      std::fill(matrix.begin() + at, matrix.end(), 0.0);
      kept.put_back({7, rows}, {from, columns});
      for (std::int64_t j = from; j < columns; ++j)
        for (std::int64_t i = 0; i < ld; ++i) {
          const auto place = static_cast<std::size_t>(j * ld + i);
          ASSERT_EQ(matrix[place], i >= 7 && i < rows ? before[place] : 0.0) << i << ' ' << j;
        }
    }
  }
}

TEST(SavedMatrix, NeedNotBeWaitedFor) {
  Definite<double> matrix(300, Uplo::upper, 3, 5);
  const LapackProblem p = matrix.problem(LapackRoutine::potrf);
  for (int time = 0; time < 20; ++time) {
    SavedMatrix kept(p, 44);
    if (time % 2 == 0) continue;
    kept.wait_for(100);
    EXPECT_TRUE(kept.have(100));
  }
  EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
}

}  // namespace
}  // namespace duoblas::test
