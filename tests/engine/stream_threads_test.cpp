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

// On both sides, of small integers: whether all results are right.
bool all_are_right(Context& context) {
  constexpr std::int64_t rows = 61, columns = 43;
  const std::vector<double> a(rows * columns, 1.0);
  for (const Op op : {Op::none, Op::transpose}) {
    const std::int64_t terms = op == Op::none ? columns : rows;
    const std::vector<double> x(static_cast<std::size_t>(terms), 2.0);
    std::vector<double> y(static_cast<std::size_t>(rows + columns - terms), 3.0);
    context.gemv<double>(Layout::row_major, op, rows, columns, 1, a.data(), columns, x.data(), 1, 1,
                         y.data(), 1);
    if (y != std::vector<double>(y.size(), 2.0 * static_cast<double>(terms) + 3)) return false;
  }
  return true;
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
