// fork() beside level-3 calls: the child computes on the CPU, is right, and ends.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "fronts.hpp"

namespace duoblas::test {
namespace {

// tril(1) X = B with B = 1 has X = (1, 0, 0 ...)', whatever the right-hand side.
bool solves_right(Engine& engine, std::int64_t n) {
  const std::vector<double> a(static_cast<std::size_t>(n * n), 1.0);
  std::vector<double> b(a.size(), 1.0);
  Level3Problem p;
  p.routine = Routine::trsm;
  p.precision = Precision::d;
  p.uplo = Uplo::lower;
  p.m = p.n = p.lda = p.ldc = n;
  p.a = a.data();
  p.c = b.data();
  run_level3(engine, p);
  for (std::size_t i = 0; i < b.size(); ++i)
    if (b[i] != (i < static_cast<std::size_t>(n) ? 1.0 : 0.0)) return false;
  return true;
}

void expect_child_is_right(Engine& engine) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);
    ::_exit(!engine.plans().insists_on_gpu() && solves_right(engine, 50) &&
                    solves_right(engine, 400)
                ? 0
                : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Level3Fork, AfterACallOnBothSidesGivesAChildThatIsRight) {
  Engine engine(forced_settings());
  EXPECT_TRUE(solves_right(engine, 300));
  expect_child_is_right(engine);
  EXPECT_TRUE(engine.plans().insists_on_gpu());
  EXPECT_TRUE(solves_right(engine, 300));
}

TEST(Level3Fork, DuringCallsOfAnotherThreadGivesChildrenThatAreRight) {
  Engine engine(forced_settings());
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread other([&] {
    while (!stop) wrong += !solves_right(engine, 260);
  });
  for (int i = 0; i < 5; ++i) expect_child_is_right(engine);
  stop = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace duoblas::test
