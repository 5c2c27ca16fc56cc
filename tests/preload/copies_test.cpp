// ?copy of the drop-in with its own engine: what it does by threads and what it passes on are
// right.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <thread>
#include <vector>

#include "preload/declared_names.h"

namespace {

template <typename T>
using Copy = void (*)(const std::int32_t*, const void*, const std::int32_t*, const void*,
                      const std::int32_t*);

// Element i of a vector: a step below zero begins at the end.
std::size_t place(int i, int n, int step) {
  return static_cast<std::size_t>(step >= 0 ? i * step : (i - n + 1) * step);
}

template <typename T>
std::vector<T> numbers(std::size_t count, int first) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = T(static_cast<float>(first + static_cast<int>(i)));
  return made;
}

// Of the elements between those of y, too.
template <typename T>
bool is_right(Copy<T> copy, int n, int incx, int incy) {
  const auto length = [n](int step) {
    return static_cast<std::size_t>(std::max(n - 1, 0) * std::abs(step) + 1);
  };
  const std::vector<T> x = numbers<T>(length(incx), 1);
  std::vector<T> y = numbers<T>(length(incy), -100000), expected = y;
  for (int i = 0; i < n; ++i) expected[place(i, n, incy)] = x[place(i, n, incx)];
  copy(&n, x.data(), &incx, y.data(), &incy);
  return y == expected;
}

// Enough calls for all that a trial of both ways goes through.
template <typename T>
void expect_right(Copy<T> copy) {
  for (const int n : {-1, 0, 1, 5, 1023, 1024, 1277})
    for (const int incx : {1, 2, 64, 200, -200, 0})
      for (const int incy : {1, 3, 128, -1})
        for (int call = 0; call < 20; ++call)
          ASSERT_TRUE(is_right<T>(copy, n, incx, incy)) << n << ' ' << incx << ' ' << incy;
}

// The drop-in reads the environment at its first call.
class Copies : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ::setenv("DUOBLAS_STRATEGY", "hybrid", 1); }
};

TEST_F(Copies, OfAllTypesAreRight) {
  expect_right<float>(scopy_);
  expect_right<double>(dcopy_);
  expect_right<std::complex<float>>(ccopy_);
  expect_right<std::complex<double>>(zcopy_);
}

// As one thread copies them, element after element.
TEST_F(Copies, OfVectorsThatOverlapAreTheReferences) {
  const int n = 1100, far = 64, step = 1;
  std::vector<double> memory = numbers<double>(far * n, 1), expected = memory;
  for (int i = 0; i < n; ++i)
    expected[static_cast<std::size_t>(100 + i)] = expected[static_cast<std::size_t>(far * i)];
  for (int call = 0; call < 20; ++call) {
    std::vector<double> copied = memory;
    dcopy_(&n, copied.data(), &far, copied.data() + 100, &step);
    ASSERT_EQ(copied, expected);
  }
}

// Each element is read before the next one is written over it, also where threads would halve the
// vectors.
TEST_F(Copies, OfElementsThatMoveByOneAreTheReferences) {
  const int n = 1100, far = 64;
  std::vector<double> memory = numbers<double>(far * (n + 1), 1), expected = memory;
  for (std::size_t i = 0; i < n; ++i) expected[far * i] = memory[far * (i + 1)];
  for (int call = 0; call < 20; ++call) {
    std::vector<double> copied = memory;
    dcopy_(&n, copied.data() + far, &far, copied.data(), &far);
    ASSERT_EQ(copied, expected);
  }
}

TEST_F(Copies, OfManyThreadsAreRight) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&wrong] {
      for (int call = 0; call < 300; ++call)
        if (!is_right<double>(dcopy_, 1100, 70, 1)) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Copies, OfAForkedChildAreRight) {
  ASSERT_TRUE(is_right<double>(dcopy_, 1100, 70, 1));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool right = true;
    for (int call = 0; call < 40; ++call) right = right && is_right<double>(dcopy_, 1100, 70, 1);
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(is_right<double>(dcopy_, 1100, 70, 1));
}

}  // namespace
