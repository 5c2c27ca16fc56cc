// fork() after and beside factorisations: the child computes on the CPU, is right, and ends.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <complex>
#include <thread>

#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

template <typename T>
bool is_factorised(Engine& engine, std::int64_t n, std::uint64_t seed) {
  General<T> general(n, n, 1, seed);
  Definite<T> definite(n, Uplo::upper, 1, seed);
  Orthogonal<T> orthogonal(n, n, 1, seed);
  return run(engine, orthogonal.problem()).info == 0 && qr_error(orthogonal) < most_error &&
         run(engine, general.problem()).info == 0 && general.error() < most_error &&
         run(engine, definite.problem(LapackRoutine::potrf)).info == 0 &&
         definite.error() < most_error;
}

bool all_is_factorised(Engine& engine, std::int64_t n, std::uint64_t seed) {
  return is_factorised<double>(engine, n, seed) &&
         is_factorised<std::complex<float>>(engine, n, seed);
}

void expect_child_is_right(Engine& engine) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);
    ::_exit(!engine.plans().insists_on_gpu() && all_is_factorised(engine, 30, 1) &&
                    all_is_factorised(engine, 150, 2)
                ? 0
                : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(LapackFork, AfterFactorisationsOnBothSidesGivesAChildThatIsRight) {
  Engine engine(forced_lapack());
  EXPECT_TRUE(all_is_factorised(engine, 130, 3));
  expect_child_is_right(engine);
  EXPECT_TRUE(engine.plans().insists_on_gpu());
  EXPECT_TRUE(all_is_factorised(engine, 130, 4));
}

TEST(LapackFork, DuringFactorisationsOfAnotherThreadGivesChildrenThatAreRight) {
  Engine engine(forced_lapack());
  for (const MatrixHome home : {MatrixHome::copied, MatrixHome::in_place}) {
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::thread other([&] {
      for (std::uint64_t seed = 5; !stop; ++seed) {
        General<double> matrix(140, 140, 0, seed);
        wrong += run(engine, matrix.problem(), home).info != 0 || !(matrix.error() < most_error);
        Orthogonal<double> orthogonal(140, 120, 0, seed);
        run(engine, orthogonal.problem(), home);
        wrong += !(qr_error(orthogonal) < most_error);
      }
    });
    for (int i = 0; i < 3; ++i) expect_child_is_right(engine);
    stop = true;
    other.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace duoblas::test
