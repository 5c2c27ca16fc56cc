// How the work of a check is shared: all of it is done, once.
#include "check/check_threads.hpp"

#include <gtest/gtest.h>

#include <new>
#include <random>

#include "check/plain_threads.hpp"
#include "check/rows_product.hpp"
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
  const auto vector_of = [&](std::int64_t count, int vectors) {
    Vectors v(count, 1, vectors);
    for (std::int64_t i = 0; i < count; ++i) {
      for (int which = 0; which < vectors; ++which) v.set(i, draw(engine), which);
      v.sizes[index(i)] = std::abs(v.values[0][index(i)]);
    }
    return v;
  };
  const auto expect_same = [](const Vectors& x, const Vectors& y) {
    EXPECT_EQ(x.values, y.values);
    EXPECT_EQ(x.sizes, y.sizes);
  };
  const StoredMatrix<double> matrix{numbers.data(), 300, 440, 450}, turned = matrix.transposed();
  for (const Sizes sizes : {Sizes::none, Sizes::magnitudes, Sizes::squares})
    for (const int vectors : {1, 2}) {
      const Vectors of_columns = vector_of(440, vectors), of_rows = vector_of(300, vectors);
      expect_same(times(matrix, of_columns, sizes, three), times(matrix, of_columns, sizes));
      expect_same(times(turned, of_rows, sizes, three), times(turned, of_rows, sizes));
    }
  const Vectors of_columns = vector_of(440, 1), of_rows = vector_of(300, 1);
  for (const Sizes sizes : {Sizes::magnitudes, Sizes::none}) {
    expect_same(times_in_halves(matrix, of_columns, {}, sizes, three),
                times_in_halves(matrix, of_columns, {}, sizes));
    expect_same(times_in_halves(turned, of_rows, {}, sizes, three),
                times_in_halves(turned, of_rows, {}, sizes));
  }
  EXPECT_EQ(row_maxima(matrix, three), row_maxima(matrix));
}

}  // namespace
}  // namespace duoblas::test
