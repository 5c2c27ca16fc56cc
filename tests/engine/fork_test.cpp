// fork(), after and in the middle of products: the child computes on the CPU, and ends.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <duoblas/duoblas.h>

#include "conformance/forced_context.hpp"

namespace duoblas::test {
namespace {

constexpr int right = 0;
constexpr unsigned watchdog_seconds = 60;

CaseFactors product(std::int64_t n) {
  CaseFactors factors;
  factors.m = factors.n = factors.k = n;
  return factors;
}

bool computes_right(Context& context, std::int64_t n) {
  constexpr std::int64_t rows = 3;
  std::vector<double> a(static_cast<std::size_t>(n * n), 0.5);
  std::vector<double> b(a.size(), 2.0);
  std::vector<double> c(a.size(), -1.0);
  context.gemm(Layout::row_major, Op::none, Op::transpose, n, n, n, 1.0, a.data(), n, b.data(), n,
               0.0, c.data(), n);
  for (std::int64_t i = 0; i < rows * n; ++i) {
    if (c[static_cast<std::size_t>(i)] != static_cast<double>(n)) return false;
  }
  return c.back() == static_cast<double>(n);
}

// The child's work; ends through exit() (handlers run) or _exit().
[[noreturn]] void be_child(Context& context, bool through_exit) {
  ::alarm(watchdog_seconds);
  const bool ok = computes_right(context, 64) && computes_right(context, 700) &&
                  Context::last_call().strategy == Strategy::cpu;
  if (through_exit) std::exit(ok ? right : 1);
  ::_exit(ok ? right : 1);
}

void expect_child_is_right(Context& context, bool through_exit) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) be_child(context, through_exit);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), right);
}

TEST(Fork, AfterALargeProductGivesAChildThatIsRight) {
  Context context(forced_settings());
  expect_right<double>(product(800), through<double>(context));
  for (const bool through_exit : {false, true}) expect_child_is_right(context, through_exit);
  expect_right<double>(product(300), through<double>(context));
  EXPECT_EQ(Context::last_call().strategy, Strategy::hybrid) << "the parent goes on as before";
}

TEST(Fork, LeavesTheChildTheCpuWhereSharesFollowTheTimesOfBothSides) {
  Settings settings = forced_settings();
  settings.split.reset();
  settings.adapt = true;
  Context context(settings);
  for (int i = 0; i < 5; ++i) expect_right<double>(product(300), through<double>(context));
  expect_child_is_right(context, true);
  expect_right<double>(product(300), through<double>(context));
}

TEST(Fork, DuringLargeProductsOfOtherThreadsGivesChildrenThatAreRight) {
  Context context(forced_settings());
  std::atomic<bool> stop{false};
  std::atomic<int> products{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < 2; ++t) {
    workers.emplace_back([&] {
      while (!stop) {
        EXPECT_TRUE(computes_right(context, 900));
        ++products;
      }
    });
  }
  while (products < 2) std::this_thread::yield();
  for (int child = 0; child < 12; ++child) expect_child_is_right(context, child % 2 == 0);
  stop = true;
  for (auto& worker : workers) worker.join();
}

TEST(Fork, OfAChildGivesAGrandchildThatIsRight) {
  Context context(forced_settings());
  expect_right<float>(product(400), through<float>(context));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(watchdog_seconds);
    if (!computes_right(context, 300)) ::_exit(2);
    const pid_t grandchild = ::fork();
    if (grandchild == 0) be_child(context, true);
    int status = -1;
    if (::waitpid(grandchild, &status, 0) != grandchild) ::_exit(3);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), right);
}

// The child's end of a test: 0 where `ok`.
[[noreturn]] void end_child(bool ok) {
  ::_exit(ok ? right : 1);
}

void expect_ends_right(pid_t child) {
  ASSERT_GT(child, 0);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), right);
}

TEST(Fork, GivesAChildThatMayMakeAContextOfItsOwn) {
  Context context(forced_settings());
  expect_right<double>(product(200), through<double>(context));  // OpenCL works in the parent
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(watchdog_seconds);
    Context own(forced_settings());
    end_child(computes_right(own, 300) && Context::last_call().strategy == Strategy::cpu);
  }
  expect_ends_right(child);
}

// The first call of a process makes the default context; a fork in the middle of that must not
// leave the child something half made. Each round is a process of its own that has made none yet.
TEST(Fork, InTheMiddleOfAnothersFirstCallGivesAChildThatIsRight) {
  for (int round = 0; round < 40; ++round) {
    const pid_t fresh = ::fork();
    if (fresh == 0) {
      ::alarm(watchdog_seconds);
      const auto first_call = [] {
        const double a = 2, b = 3;
        double c = 0;
        return duoblas_dgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 1, 1, 1, 1.0,
                             &a, 1, &b, 1, 0.0, &c, 1) == DUOBLAS_OK &&
               c == 6;
      };
      std::thread other([&] { (void)first_call(); });
      std::this_thread::sleep_for(std::chrono::microseconds(20 * round));
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(watchdog_seconds);
        end_child(first_call());
      }
      int status = -1;
      const bool ended = ::waitpid(child, &status, 0) == child;
      other.join();
      end_child(ended && WIFEXITED(status) && WEXITSTATUS(status) == right);
    }
    expect_ends_right(fresh);
  }
}

TEST(Fork, BeforeTheFirstProductLeavesTheChildAWholeEngine) {
  Context context(forced_settings());
  expect_child_is_right(context, true);
  expect_right<double>(product(200), through<double>(context));
}

}  // namespace
}  // namespace duoblas::test
