// How the work of a check is shared: all of it is done, once.
#include "check/check_threads.hpp"

#include <gtest/gtest.h>

#include <new>
#include <random>

#include "check/plain_threads.hpp"
#include "check/stored_matrix.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas::test {
namespace {

const CheckThreads three = threads_of(1);

TEST(CheckThreads, ShareEveryLineOnce) {
  for (const std::int64_t unit : {1, 8, 128})
    for (const std::int64_t count : {0, 1, 7, 12, 129, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      three.share(count, unit, 1, [&](std::int64_t begin, std::int64_t end) {
        EXPECT_EQ(begin % unit, 0);
        for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      for (const auto& times : seen) EXPECT_EQ(times.load(), 1) << unit << ", " << count;
    }
}

TEST(CheckThreads, DealEveryLineOnceAndTrianglesEvenly) {
  for (const std::int64_t pieces : {1, 2, 3, 16})
    for (const std::int64_t lines : {0, 1, 15, 16, 17, 400, 4096}) {
      const DealtLines dealt{lines, 16, pieces};
      std::vector<int> seen(static_cast<std::size_t>(lines));
      std::int64_t most = 0, all = 0;
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        std::int64_t elements = 0;
        dealt.of_piece(piece, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            ++seen[static_cast<std::size_t>(i)];
            elements += i;
          }
        });
        most = std::max(most, elements);
        all += elements;
      }
      for (const int times : seen) EXPECT_EQ(times, 1) << pieces << ", " << lines;
      if (lines == 4096) {
        EXPECT_LE(most * pieces, all + all / 20) << pieces;
      }
    }
}

TEST(CheckThreads, DoAloneWhatIsSmallOrCannotBeHandedOut) {
  CheckThreads none, careful = three;
  none.threads = 8;
  careful.least_bytes = 1000;
  EXPECT_EQ(none.for_bytes(1 << 30), 1);
  EXPECT_EQ(careful.for_bytes(999), 1);
  EXPECT_EQ(careful.for_bytes(1000), 3);
  int calls = 0;
  careful.share(100, 1, 999, [&](std::int64_t begin, std::int64_t end) {
    ++calls;
    EXPECT_EQ(end - begin, 100);
  });
  EXPECT_EQ(calls, 1);
}

TEST(CheckThreads, PassOnThatMemoryIsShort) {
  EXPECT_THROW(three.share(10, 1, 1, [](std::int64_t, std::int64_t) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

// Of rows and columns: the terms of each sum stay in their order.
TEST(CheckThreads, AddUpRowsAndColumnsAsOneThreadDoes) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> draw;
  std::vector<double> numbers(300 * 450);
  for (double& value : numbers) value = draw(engine);
  const auto vector_of = [&](std::int64_t count) {
    TwoVectors v;
    for (WeightVector& one : v)
      for (std::int64_t i = 0; i < count; ++i) {
        one.values.push_back(draw(engine));
        one.magnitudes.push_back(std::abs(one.values.back()));
      }
    return v;
  };
  const auto expect_same = [](const TwoVectors& x, const TwoVectors& y) {
    for (std::size_t one = 0; one < 2; ++one) EXPECT_EQ(x[one].values, y[one].values);
    EXPECT_EQ(x[0].magnitudes, y[0].magnitudes);
  };
  const StoredMatrix<double> matrix{numbers.data(), 300, 440, 450};
  const TwoVectors of_columns = vector_of(440), of_rows = vector_of(300);
  expect_same(times(matrix, of_columns, three), times(matrix, of_columns));
  expect_same(transpose_times(matrix, of_rows, three), transpose_times(matrix, of_rows));
  for (const Magnitudes magnitudes : {Magnitudes::summed, Magnitudes::omitted})
    expect_same(times_in_halves(matrix, of_columns[0], {}, magnitudes, three),
                times_in_halves(matrix, of_columns[0], {}, magnitudes));
  expect_same(transpose_times_in_halves(matrix, of_rows[0], three),
              transpose_times_in_halves(matrix, of_rows[0]));
  EXPECT_EQ(row_maxima(matrix, three), row_maxima(matrix));
}

}  // namespace
}  // namespace duoblas::test
