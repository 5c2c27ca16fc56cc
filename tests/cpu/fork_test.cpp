// Children of a process whose private CPU BLAS has threads, or is computing.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "cpu/workers.hpp"
#include "os/fork_state.hpp"
#include "support/comes_true.hpp"
#include "whole_cpu.hpp"

#if defined(__SANITIZE_ADDRESS__)
// A child has the memory of its parent's other threads, but not their stacks: all of it would be
// reported at the child's exit().
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}
#endif

namespace duoblas {
namespace {

using test::cpu;

// A product whose every element is known exactly: 0.5 * 2 * n = n.
template <typename T>
bool product_is_right(std::int64_t n, bool tiles = false) {
  const auto elements = static_cast<std::size_t>(n * n);
  std::vector<T> a(elements, T(0.5)), b(elements, T(2)), c(elements, T(-1));
  GemmProblem p;
  p.precision = precision_of<T>;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  p.a = a.data();
  p.b = b.data();
  p.c = c.data();
  CpuConfig config = cpu().all_cores("");
  config.tiles = tiles;
  cpu().run(p, config);
  return c == std::vector<T>(elements, T(static_cast<float>(n)));
}

bool several_products_are_right() {
  return product_is_right<float>(300) && product_is_right<double>(200) &&
         product_is_right<std::complex<float>>(64) && product_is_right<float>(7) &&
         product_is_right<double>(300, true);
}

enum class Leave { by_exit, by_underscore_exit };

// A child that dies of SIGALRM rather than hang. Nothing of the host is printed twice.
template <typename Body>
pid_t start_child(Leave leave, Body&& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(60);
  const int status = body() ? 0 : 1;
  if (leave == Leave::by_exit) std::exit(status);
  _exit(status);
}

bool ended_well(pid_t child) {
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

std::size_t task_count() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

// The system counts a thread that was joined for a while longer.
bool task_count_comes_to(std::size_t count) {
  return test::comes_true([&] { return task_count() == count; });
}

class Computing {  // threads that multiply until the end of the scope
 public:
  Computing(int threads, std::int64_t n) {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this, n] {
        for (bool tiles = false; !stop_; tiles = !tiles) {
          if (!product_is_right<float>(n, tiles)) wrong_ = true;
          ++products_;
        }
      });
    while (products_ == 0) std::this_thread::yield();
  }
  ~Computing() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    EXPECT_FALSE(wrong_);
  }
  int products() const { return products_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> wrong_{false};
  std::atomic<int> products_{0};
  std::vector<std::thread> threads_;
};

TEST(Fork, AfterProductsGivesAChildThatMultipliesAndExits) {
  ASSERT_TRUE(several_products_are_right());
  EXPECT_TRUE(ended_well(start_child(Leave::by_exit, several_products_are_right)));
  EXPECT_TRUE(ended_well(start_child(Leave::by_underscore_exit, several_products_are_right)));
  EXPECT_TRUE(several_products_are_right());
}

TEST(Fork, OfAProcessThatOnlyMultipliedGivesAChildThatExitsWithoutMultiplying) {
  ASSERT_TRUE(several_products_are_right());
  EXPECT_TRUE(ended_well(start_child(Leave::by_exit, [] { return true; })));
}

TEST(Fork, BeforeTheFirstProductGivesAChildThatMultipliesAndExits) {
  EXPECT_TRUE(ended_well(start_child(Leave::by_exit, several_products_are_right)));
}

// A pipeline's thread shares the work of a check while another one waits for the device with a
// ForkGuard.
TEST(Fork, IsNotWaitedForByWorkThatAThreadWithAForkGuardWaitsFor) {
  watch_forks();
  std::atomic<bool> has_guard{false}, is_done{false};
  std::atomic<int> pieces{0};
  std::thread waiting([&] {
    const ForkGuard guard;
    has_guard = true;
    while (!is_done) std::this_thread::yield();
  });
  while (!has_guard) std::this_thread::yield();
  std::atomic<bool> is_right{false};
  std::thread forking(
      [&] { is_right = ended_well(start_child(Leave::by_underscore_exit, [] { return true; })); });
  while (ForkGuardIfOpen()) std::this_thread::yield();  // until the fork waits for the guard
  hand_out(
      10, [&](std::int64_t) { ++pieces; }, 2);
  is_done = true;
  waiting.join();
  forking.join();
  EXPECT_EQ(pieces, 10);
  EXPECT_TRUE(is_right);
}

// A child that starts a thread where its parent had another one ends with "dup thread with used id"
// under ThreadSanitizer of GCC 12.
#if !defined(__SANITIZE_THREAD__)
TEST(Fork, DuringLargeProductsOfAnotherThreadGivesChildrenThatMultiplyAndExit) {
  const Computing large(1, 1500);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * i % 17));
    EXPECT_TRUE(ended_well(start_child(i % 2 == 0 ? Leave::by_exit : Leave::by_underscore_exit,
                                       several_products_are_right)))
        << "child " << i;
  }
}

TEST(Fork, DuringSmallProductsOfManyThreadsGivesChildrenThatMultiplyAndExit) {
  const Computing small(6, 40);
  const Computing middle(2, 200);
  for (int i = 0; i < 40; ++i)
    EXPECT_TRUE(ended_well(start_child(i % 2 == 0 ? Leave::by_exit : Leave::by_underscore_exit,
                                       several_products_are_right)))
        << "child " << i;
}

TEST(Fork, OfSeveralThreadsAtOnceGivesChildrenThatMultiplyAndExit) {
  const Computing products(2, 250);
  std::atomic<int> well{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i)
        well += ended_well(start_child(Leave::by_exit, several_products_are_right));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(well, 40);
}

TEST(Fork, OfAChildGivesGrandchildrenThatMultiplyAndExit) {
  const Computing large(1, 700);
  EXPECT_TRUE(ended_well(start_child(Leave::by_exit, [] {
    return several_products_are_right() &&
           ended_well(start_child(Leave::by_exit, several_products_are_right)) &&
           ended_well(start_child(Leave::by_underscore_exit, several_products_are_right)) &&
           several_products_are_right();
  })));
}

TEST(Fork, WhileAnotherThreadLoadsItsFirstInstanceGivesChildrenThatMultiplyAndExit) {
  cpu();  // the test's own variable is not to be half made in a child
  for (int i = 0; i < 5; ++i) {
    std::thread loading([i] {
      CpuConfig config = cpu().all_cores(i % 2 == 0 ? "Haswell" : "Zen");
      config.cores.clear();
      config.threads = 1 + i / 2;
      cpu().prepare(config);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * i));
    EXPECT_TRUE(ended_well(start_child(Leave::by_exit, several_products_are_right)));
    loading.join();
  }
}

#endif

TEST(Fork, LeavesParentAndChildTheirThreads) {
  ASSERT_TRUE(ended_well(start_child(Leave::by_exit, [] { return true; })));
  ASSERT_TRUE(product_is_right<float>(600));  // the only instance with workers after that fork
  const std::size_t before = task_count();
  ASSERT_TRUE(ended_well(start_child(Leave::by_exit, [&] {
    return product_is_right<float>(600) && task_count_comes_to(before);
  })));
  ASSERT_TRUE(product_is_right<float>(600));
  EXPECT_TRUE(task_count_comes_to(before));
}

#if defined(OPENMP_BLAS) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Not of the library at hand, which sanitizers leave us: GNU OpenMP waits in a child for threads
// that only the parent has.
TEST(Fork, GivesAChildWhoseOpenMpBlasHasThreads) {
  CpuLimits limits = cpu_limits("", 0);
  limits.threads = 2;
  CpuSide side(limits, OPENMP_BLAS);
  const auto threads = [&side] {
    const std::vector<double> a(4), b(4);
    std::vector<double> c(4);
    GemmProblem p;
    p.precision = Precision::d;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 2;
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    side.run(p, side.all_cores(""));
    return c[0];
  };
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(threads(), 2);
    EXPECT_TRUE(ended_well(start_child(Leave::by_exit, [&] { return threads() == 2; })));
  }
}
#endif

TEST(Fork, GenerationCountsFromTheProcessThatWatchesFirst) {
  watch_forks();
  EXPECT_EQ(fork_generation(), 0u);
  EXPECT_TRUE(ended_well(start_child(Leave::by_exit, [] {
    return fork_generation() == 1 &&
           ended_well(start_child(Leave::by_exit, [] { return fork_generation() == 2; }));
  })));
  EXPECT_EQ(fork_generation(), 0u);
}

TEST(Fork, WaitsForForkGuardsThatNest) {
  watch_forks();
  std::atomic<bool> begun{false};
  std::atomic<bool> ended{false};
  std::thread working([&] {
    const ForkGuard outer;
    begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the fork is waiting by now
    const ForkGuard inner;
    ended = true;
  });
  while (!begun) std::this_thread::yield();
  EXPECT_TRUE(ended_well(start_child(Leave::by_exit, [&] { return ended.load(); })));
  working.join();
}

TEST(Fork, GivesAChildThatDoesParallelWorkAlone) {
  const auto sum_is_right = [] {
    std::atomic<std::int64_t> sum{0};
    parallel_for(10000, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
    return sum == 10000;
  };
  ASSERT_TRUE(sum_is_right());
  EXPECT_TRUE(ended_well(start_child(Leave::by_exit, sum_is_right)));
#if !defined(__SANITIZE_THREAD__)
  EXPECT_TRUE(ended_well(start_child(Leave::by_exit, [&] {
    bool right = false;
    std::thread([&] { right = sum_is_right() && several_products_are_right(); }).join();
    return right;
  })));
#endif
  EXPECT_TRUE(sum_is_right());
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Not of the library at hand, which sanitizers leave us: its destructor waits for its workers.
TEST(Exit, OfAProcessWhoseOtherThreadsMultiplyEnds) {
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(ended_well(start_child(Leave::by_exit, [i] {
      std::thread([] {
        for (;;) product_is_right<float>(400);
      }).detach();
      std::this_thread::sleep_for(std::chrono::milliseconds(30 + 3 * i));
      return true;
    })));
}
#endif

}  // namespace
}  // namespace duoblas
