// Allocations of a factorisation with the matrix on the device fail, one by one: its results are
// right, or there is an error and nothing was written.
#include <exception>
#include <functional>
#include <memory>

#include "engine/failing_allocations.hpp"
#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

using T = float;

Settings without_checks() {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  settings.cache_dir.clear();
  return settings;
}

bool are_the_same(const Columns<T>& x, const Columns<T>& y) {
  for (std::int64_t j = 0; j < x.lines(); ++j)
    for (std::int64_t i = 0; i < x.length(); ++i)
      if (x.at(j, i) != y.at(j, i) && !(is_nan(x.at(j, i)) && is_nan(y.at(j, i)))) return false;
  return true;
}

struct Matrix {
  LapackProblem problem;
  std::function<bool()> is_right, is_as_it_was;
};

/// The numbers of the allocations that fail grow by more and more.
template <typename Make>
void expect_right_or_nothing(Make&& make) {
  // With all that calls keep.
  const auto made = [&] {
    auto engine = std::make_unique<Engine>(without_checks());
    EXPECT_NE(engine->gpu(), nullptr) << engine->gpu_problem();
    EXPECT_TRUE(run(*engine, make().problem, MatrixHome::copied).outcome.used_gpu);
    return engine;
  };
  auto engine = made();
  int recovered = 0;
  bool felt = true;
  for (long number = 1; felt && number < 10000; number += 1 + number / 3) {
    SCOPED_TRACE(number);
    const Matrix matrix = make();
    bool threw = false;
    LapackOutcome did;
    {
      const ShortMemory memory(number, false);
      try {
        did =
            carry_out(*engine, matrix.problem, decide(*engine, matrix.problem, MatrixHome::copied));
      } catch (const std::exception&) {
        threw = true;
      }
      felt = memory.felt();
    }
    EXPECT_TRUE(threw ? matrix.is_as_it_was() : matrix.is_right());
    recovered += did.outcome.recovered;
    if (did.outcome.recovered) engine = made();
  }
  EXPECT_FALSE(felt) << "no end of allocations";
  EXPECT_GT(recovered, 1);
}

TEST(ShortMemoryInLapack, LeavesLuRightOrUnwritten) {
  expect_right_or_nothing([] {
    const auto matrix = std::make_shared<General<T>>(60, 60, 2, 7);
    return Matrix{matrix->problem(), [=] { return matrix->error() < most_error; },
                  [=] { return are_the_same(matrix->factors, matrix->a); }};
  });
}

TEST(ShortMemoryInLapack, LeavesCholeskyRightOrUnwritten) {
  expect_right_or_nothing([] {
    const auto matrix = std::make_shared<Definite<T>>(60, Uplo::lower, 2, 7);
    const auto before = std::make_shared<Columns<T>>(matrix->stored);
    return Matrix{matrix->problem(LapackRoutine::potrf),
                  [=] { return matrix->error() < most_error; },
                  [=] { return are_the_same(matrix->stored, *before); }};
  });
}

// Products of the CPU with the last columns need memory too: an error there comes too late.
TEST(ShortMemoryInLapack, LeavesQrRightOrAnError) {
  expect_right_or_nothing([] {
    const auto matrix = std::make_shared<Orthogonal<T>>(60, 60, 2, 7);
    return Matrix{matrix->problem(), [=] { return qr_error(*matrix) < most_error; },
                  [] { return true; }};
  });
}

TEST(ShortMemoryInLapack, LeavesProductsWithQRightOrUnwritten) {
  Engine engine(without_checks());
  const Orthogonal<T> q = factorised<T>(engine, 60, 60, 2, 7);
  Columns<T> before(40, 60, 1, 1);
  before.randomise(8);
  Columns<InDoubles<T>> product(40, 60);
  for (std::int64_t j = 0; j < 40; ++j)
    for (std::int64_t i = 0; i < 60; ++i) product.at(j, i) = before.at(j, i);
  reflect(q, false, product);
  expect_right_or_nothing([&] {
    const auto factors = std::make_shared<Orthogonal<T>>(q);
    const auto c = std::make_shared<Columns<T>>(before);
    LapackProblem p = factors->problem(LapackRoutine::ormqr);
    with_right_sides(p, *c);
    return Matrix{p, [=, &product] { return difference(*c, product) < most_error; },
                  [=, &before, &q] {
                    return are_the_same(*c, before) && are_the_same(factors->factors, q.factors);
                  }};
  });
}

}  // namespace
}  // namespace duoblas::test
