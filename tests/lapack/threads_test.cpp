// Eight threads at once, each with another routine, triangle or home of the matrix: one has the
// device, the others the CPU or wait for it, and all are right.
#include <atomic>
#include <functional>
#include <thread>

#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

constexpr int rounds = 3;

template <typename T>
void factorise_lu(Engine& engine, std::uint64_t seed, MatrixHome home) {
  General<T> matrix(150, 130, 1, seed);
  EXPECT_EQ(run(engine, matrix.problem(), home).info, 0);
  EXPECT_LT(matrix.error(), most_error);
  EXPECT_TRUE(matrix.factors.guards_untouched());
}

template <typename T>
void factorise_cholesky(Engine& engine, std::uint64_t seed, Uplo uplo, MatrixHome home) {
  Definite<T> matrix(140, uplo, 2, seed);
  EXPECT_EQ(run(engine, matrix.problem(LapackRoutine::potrf), home).info, 0);
  EXPECT_LT(matrix.error(), most_error);
  EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
}

template <typename T>
void solve_general(Engine& engine, std::uint64_t seed) {
  General<T> matrix(120, 120, 0, seed);
  Columns<T> b(70, 120);
  b.randomise(seed + 1);
  Columns<T> x = b;
  LapackProblem p = matrix.problem(LapackRoutine::gesv);
  with_right_sides(p, x);
  EXPECT_EQ(run(engine, p).info, 0);
  EXPECT_LT(residual(matrix.a, x, b), most_error);
}

TEST(Factorisations, OfEightThreadsAreRightInAll) {
  Engine engine(forced_lapack());
  ASSERT_NE(engine.gpu(), nullptr) << engine.gpu_problem();
  const auto copied = MatrixHome::copied, in_place = MatrixHome::in_place;
  const std::vector<std::function<void(std::uint64_t)>> work = {
      [&](auto seed) { factorise_lu<double>(engine, seed, copied); },
      [&](auto seed) { factorise_lu<double>(engine, seed, in_place); },
      [&](auto seed) { factorise_lu<std::complex<float>>(engine, seed, copied); },
      [&](auto seed) { factorise_cholesky<double>(engine, seed, Uplo::lower, copied); },
      [&](auto seed) { factorise_cholesky<double>(engine, seed, Uplo::upper, in_place); },
      [&](auto seed) {
        factorise_cholesky<std::complex<double>>(engine, seed, Uplo::upper, copied);
      },
      [&](auto seed) { solve_general<double>(engine, seed); },
      [&](auto seed) { solve_general<float>(engine, seed); },
  };
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < work.size(); ++t)
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < static_cast<int>(work.size())) std::this_thread::yield();
      for (std::uint64_t round = 0; round < rounds; ++round) work[t](100 * round + t);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace duoblas::test
