// Level 3 under a bound on the number of threads that changes from call to call.
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cpu/cpu_limits.hpp"
#include "cpu/cpu_side.hpp"
#include "os/link_namespace.hpp"

namespace duoblas {
namespace {

constexpr int all_threads = 24;

CpuSide side_of(const std::string& library) {
  CpuLimits limits;
  limits.cores = allowed_cores();
  limits.threads = all_threads;
  return CpuSide(limits, library);
}

// X = inv(A) B, all n x n.
Level3Problem solve(const std::vector<double>& a, std::vector<double>& b, std::int64_t n) {
  Level3Problem p;
  p.routine = Routine::trsm;
  p.precision = Precision::d;
  p.uplo = Uplo::lower;
  p.m = p.n = p.lda = p.ldc = n;
  p.a = a.data();
  p.c = b.data();
  return p;
}

// tril(1) X = 1 has X = (1, 0, 0 ...)', whatever the right-hand side.
bool solves_right(CpuSide& side) {
  constexpr std::size_t n = 200;
  const std::vector<double> a(n * n, 1.0);
  std::vector<double> b(n * n, 1.0);
  side.run(solve(a, b, n), side.all_cores(""));
  for (std::size_t i = 0; i < n * n; ++i)
    if (b[i] != (i < n ? 1.0 : 0.0)) return false;
  return true;
}

bool multiplies_right(CpuSide& side) {
  constexpr std::size_t n = 150;
  const std::vector<double> a(n * n, 0.5), b(n * n, 2.0);
  std::vector<double> c(n * n, -1.0);
  GemmProblem p;
  p.precision = Precision::d;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  p.a = a.data();
  p.b = b.data();
  p.c = c.data();
  side.run(p, side.all_cores(""));
  return c == std::vector<double>(n * n, static_cast<double>(n));
}

int copies_in_process(const std::string& file) {
  std::ifstream maps("/proc/self/maps");
  int copies = 0;
  for (std::string line; std::getline(maps, line);)
    copies += line.find(" 00000000 ") != std::string::npos && line.find(file) != std::string::npos;
  return copies;
}

TEST(ThreadBound, ThatChangesTakesTwoCopiesOfTheBlasAndLeavesOthersTheirStaticTls) {
  CpuSide side = side_of("");
  for (int bound = all_threads + 1; bound > 0; --bound) {
    const ScopedThreadBound at_most(bound);
    EXPECT_TRUE(solves_right(side)) << bound;
    EXPECT_TRUE(multiplies_right(side)) << bound;
  }
  const std::string path = side.library_path();
  EXPECT_LE(copies_in_process(path.substr(path.rfind('/') + 1)), 2);
  EXPECT_NE(dlopen(STATIC_TLS, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// How many threads a call had when it began and when it ended.
std::pair<int, int> threads_of_a_call(CpuSide& side) {
  const std::vector<double> a(4);
  std::vector<double> b(4);
  side.run(solve(a, b, 2), side.all_cores(""));
  return {static_cast<int>(b[0]), static_cast<int>(b[1])};
}

// Not of the library at hand, which sanitizers leave us: its number is the host's.
TEST(ThreadBound, IsTheNumberOfALevel3CallsThreads) {
  CpuSide side = side_of(NUMBERED_BLAS);
  EXPECT_EQ(threads_of_a_call(side), std::pair(all_threads, all_threads));
  for (int bound = 1; bound <= all_threads + 1; ++bound) {
    const int expected = std::min(bound, all_threads);
    const ScopedThreadBound at_most(bound);
    EXPECT_EQ(threads_of_a_call(side), std::pair(expected, expected));
  }
  EXPECT_EQ(threads_of_a_call(side), std::pair(all_threads, all_threads));
}

TEST(ThreadBound, OfOneThreadIsNotAnothers) {
  CpuSide side = side_of(NUMBERED_BLAS);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (const int bound : {0, 3, 3, 7, 0})
    threads.emplace_back([&, bound] {
      const ScopedThreadBound at_most(bound);
      const int expected = bound == 0 ? all_threads : bound;
      for (int call = 0; call < 50; ++call)
        wrong += threads_of_a_call(side) != std::pair(expected, expected);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadBound, IsOneThreadWhereTheBlasCannotChangeItsNumber) {
  CpuSide side = side_of(FIXED_BLAS);
  EXPECT_EQ(threads_of_a_call(side), std::pair(all_threads, all_threads));
  for (const int bound : {5, 9, 1}) {
    const ScopedThreadBound at_most(bound);
    EXPECT_EQ(threads_of_a_call(side), std::pair(1, 1));
  }
}
#endif

}  // namespace
}  // namespace duoblas
