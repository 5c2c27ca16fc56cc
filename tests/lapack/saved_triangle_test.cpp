// A copy of a triangle: each rectangle that is put back is as it was, and nothing else is written.
#include "lapack/saved_triangle.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <string>

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
  SavedTriangle kept(p, first);
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

TEST(SavedTriangle, BringsRectanglesBack) {
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
TEST(SavedTriangle, BeginsLaterWhereThereIsNoRoomForAll) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    Definite<double> matrix(300, uplo, 3, 5);
    const Definite<double> before = matrix;
    const LapackProblem p = matrix.problem(LapackRoutine::potrf);
    SavedTriangle kept(p, 44, 25000 * sizeof(double));
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

TEST(SavedTriangle, NeedNotBeWaitedFor) {
  Definite<double> matrix(300, Uplo::upper, 3, 5);
  const LapackProblem p = matrix.problem(LapackRoutine::potrf);
  for (int time = 0; time < 20; ++time) {
    SavedTriangle kept(p, 44);
    if (time % 2 == 0) continue;
    kept.wait_for(100);
    EXPECT_TRUE(kept.have(100));
  }
  EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
}

}  // namespace
}  // namespace duoblas::test
