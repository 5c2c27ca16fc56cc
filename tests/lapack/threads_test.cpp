// Eight threads at once, each with another routine, triangle or home of the matrix: one has the
// device, the others the CPU or wait for it, and all are right.
#include <atomic>
#include <functional>
#include <thread>

#include "support/qr_case.hpp"

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

template <typename T>
void factorise_qr(Engine& engine, std::uint64_t seed, MatrixHome home) {
  Orthogonal<T> matrix(150, 130, 1, seed);
  EXPECT_EQ(run(engine, matrix.problem(), home).info, 0);
  EXPECT_LT(qr_error(matrix), most_error);
  EXPECT_TRUE(matrix.factors.guards_untouched());
}

/// Q R, from the right side of an identity, is A.
template <typename T>
void multiply_by_q(Engine& engine, std::uint64_t seed, MatrixHome home) {
  constexpr std::int64_t order = 110;
  Orthogonal<T> matrix(order, order, 1, seed);
  run(engine, matrix.problem(), home);
  Columns<T> q(order, order);
  q.fill([] { return T(0); });
  for (std::int64_t i = 0; i < order; ++i) q.at(i, i) = T(1);
  LapackProblem p = matrix.problem(LapackRoutine::ormqr);
  p.side = Side::right;
  with_right_sides(p, q);
  run(engine, p, home);
  const auto error = [&](std::int64_t i, std::int64_t j) {
    InDoubles<T> sum = -InDoubles<T>(matrix.a.at(j, i));
    for (std::int64_t k = 0; k <= j; ++k)
      sum += InDoubles<T>(q.at(k, i)) * InDoubles<T>(matrix.factors.at(j, k));
    return sum;
  };
  EXPECT_LT(scaled<T>(norm(order, order, error), order, 1), most_error * order);
}

using Work = std::vector<std::function<void(std::uint64_t)>>;

void at_once(const Work& work) {
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

constexpr auto copied = MatrixHome::copied, in_place = MatrixHome::in_place;

TEST(Factorisations, OfEightThreadsAreRightInAll) {
  Engine engine(forced_lapack());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  at_once({
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
  });
}

TEST(Factorisations, WithQOfEightThreadsAreRightInAll) {
  Engine engine(forced_lapack());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  at_once({
      [&](auto seed) { factorise_qr<double>(engine, seed, copied); },
      [&](auto seed) { factorise_qr<float>(engine, seed, in_place); },
      [&](auto seed) { factorise_qr<std::complex<double>>(engine, seed, copied); },
      [&](auto seed) { factorise_qr<std::complex<float>>(engine, seed, in_place); },
      [&](auto seed) { multiply_by_q<double>(engine, seed, in_place); },
      [&](auto seed) { multiply_by_q<std::complex<double>>(engine, seed, copied); },
      [&](auto seed) { multiply_by_q<float>(engine, seed, copied); },
      [&](auto seed) { factorise_lu<double>(engine, seed, copied); },
  });
}

}  // namespace
}  // namespace duoblas::test
