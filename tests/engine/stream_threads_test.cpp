// Calls that memory bounds from several threads at once, and in a forked child.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "conformance/forced_context.hpp"

namespace duoblas::test {
namespace {

// One of each routine on both sides, of small integers: whether all results are right.
bool all_are_right(Context& context) {
  constexpr std::int64_t rows = 61, columns = 43;
  const auto numbers = [](std::int64_t count, double value) {
    return std::vector<double>(static_cast<std::size_t>(count), value);
  };
  std::vector<double> a = numbers(rows * columns, 1), x = numbers(columns, 2), y = numbers(rows, 3),
                      b = numbers(rows * columns, 0);
  context.gemv<double>(Layout::row_major, Op::none, rows, columns, 1, a.data(), columns, x.data(),
                       1, 1, y.data(), 1);
  if (y != numbers(rows, 2 * columns + 3)) return false;
  context.ger<double>(Layout::row_major, rows, columns, 1, y.data(), 1, x.data(), 1, a.data(),
                      columns);
  if (a != numbers(rows * columns, 1 + 2 * (2 * columns + 3))) return false;
  context.omatcopy<double>(Layout::row_major, Op::transpose, rows, columns, 2, a.data(), columns,
                           b.data(), rows);
  if (b != numbers(rows * columns, 2 + 4 * (2 * columns + 3))) return false;
  context.axpy<double>(rows * columns, -2, a.data(), 1, b.data(), 1);
  return b == numbers(rows * columns, 0);
}

TEST(StreamThreads, ComputeInOneContextAtOnce) {
  Context context(forced_settings());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int call = 0; call < 10; ++call) wrong += all_are_right(context) ? 0 : 1;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(StreamThreads, AForkedChildComputesOnTheCpu) {
  Context context(forced_settings());
  ASSERT_TRUE(all_are_right(context));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);
    ::_exit(all_are_right(context) && Context::last_call().strategy == Strategy::cpu ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(all_are_right(context));
}

}  // namespace
}  // namespace duoblas::test
