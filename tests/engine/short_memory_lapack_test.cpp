// Allocations of a factorisation with the matrix on the device fail, one by one: its results are
// right, or there is an error and nothing was written.
#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/short_memory_of_lapack.hpp"
#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

using T = float;
using Matrix = LapackMatrix;

TEST(ShortMemoryInLapack, LeavesLuRightOrUnwritten) {
  expect_right_or_nothing([] {
    const auto matrix = std::make_shared<General<T>>(60, 60, 2, 7);
    return Matrix{matrix->problem(), [=] { return matrix->error() < most_error; },
                  [=] { return are_the_same(matrix->factors, matrix->a); }};
  });
}

// In place the device has two parts of a step, one of them ahead.
TEST(ShortMemoryInLapack, LeavesLuInPlaceRightOrUnwritten) {
  expect_right_or_nothing(
      [] {
        const auto matrix = std::make_shared<General<T>>(60, 120, 2, 7);
        return Matrix{matrix->problem(), [=] { return matrix->error() < most_error; },
                      [=] { return are_the_same(matrix->factors, matrix->a); }};
      },
      MatrixHome::in_place);
}

Matrix definite_matrix() {
  const auto matrix = std::make_shared<Definite<T>>(60, Uplo::lower, 2, 7);
  const auto before = std::make_shared<Columns<T>>(matrix->stored);
  return Matrix{matrix->problem(LapackRoutine::potrf), [=] { return matrix->error() < most_error; },
                [=] { return are_the_same(matrix->stored, *before); }};
}

TEST(ShortMemoryInLapack, LeavesCholeskyRightOrUnwritten) {
  expect_right_or_nothing(definite_matrix);
}

TEST(ShortMemoryInLapack, LeavesCholeskyInPlaceRightOrUnwritten) {
  expect_right_or_nothing(definite_matrix, MatrixHome::in_place);
}

// The device's part ends at a minor that is not positive, and the CPU computes that block again.
TEST(ShortMemoryInLapack, LeavesTheLinesBeforeAMinorThatIsNotPositiveRightOrAllUnwritten) {
  expect_right_or_nothing([] {
    constexpr std::int64_t wrong = 20;
    const auto matrix = std::make_shared<Definite<T>>(60, Uplo::lower, 2, 7);
    matrix->whole.at(wrong, wrong) = -1;
    matrix->store();
    const auto before = std::make_shared<Columns<T>>(matrix->stored);
    return Matrix{matrix->problem(LapackRoutine::potrf),
                  [=] { return matrix->error_of_leading(wrong) < most_error; },
                  [=] { return are_the_same(matrix->stored, *before); }};
  });
}

TEST(ShortMemoryInLapack, LeavesQrRightOrUnwritten) {
  expect_right_or_nothing([] {
    const auto matrix = std::make_shared<Orthogonal<T>>(60, 60, 2, 7);
    return Matrix{matrix->problem(), [=] { return qr_error(*matrix) < most_error; },
                  [=] { return are_the_same(matrix->factors, matrix->a); }};
  });
}

TEST(ShortMemoryInLapack, LeavesProductsWithQRightOrUnwritten) {
  Engine engine(lapack_without_checks());
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

// Who calls the CPU side may have written before: it does what it is asked with no memory at all.
class ShortMemoryOfTheCpu : public testing::TestWithParam<bool> {
 protected:
  /// Each allocation fails, and with the parameter all after it, until a call has none.
  template <typename Call>
  void with_each_allocation_failing(Call&& call) {
    call();  // the library is loaded
    bool felt = true;
    for (long number = 1; felt && number < 1000; ++number) {
      SCOPED_TRACE(number);
      const ShortMemory memory(number, GetParam());
      call();
      felt = memory.felt();
    }
    EXPECT_FALSE(felt) << "no end of allocations";
  }
  Engine engine{lapack_without_checks()};
  CpuConfig cpu = engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu;
};

INSTANTIATE_TEST_SUITE_P(Failing, ShortMemoryOfTheCpu, testing::Bool(), [](const auto& all_later) {
  return all_later.param ? "from_then_on" : "one";
});

TEST_P(ShortMemoryOfTheCpu, ProductsAreDoneAllTheSame) {
  for (const bool tiles : {false, true}) {
    cpu.tiles = tiles;
    cpu.threads = 2;
    constexpr std::int64_t n = 300;
    std::vector<T> a(n * n, 1), b(n * n, 1), c(n * n);
    GemmProblem p;
    p.precision = precision_of<T>;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    p.beta = 1;
    int wrong = 0;
    with_each_allocation_failing([&] {
      for (T& element : c) element = 2;
      engine.cpu().run(p, cpu);
      for (const T element : c) wrong += element != 302;
    });
    EXPECT_EQ(wrong, 0);
  }
}

// In several rounds: products that all threads share, and others in between.
TEST_P(ShortMemoryOfTheCpu, BatchesAreDoneAllTheSame) {
  cpu.threads = 2;
  constexpr std::int64_t large = 520, small = 40, count = 9;
  std::vector<T> ones(large * large, 1), c(2 * large * large + 2 * count * small * small);
  BatchProblem batch;
  batch.precision = precision_of<T>;
  T* next = c.data();
  for (const std::int64_t n : {small, large, small, large}) {
    BatchGroup& group = batch.groups.emplace_back();
    group.shape.precision = precision_of<T>;
    group.shape.m = group.shape.n = group.shape.k = n;
    group.shape.lda = group.shape.ldb = group.shape.ldc = n;
    group.shape.beta = 1;
    group.count = n == small ? count : 1;
    group.a = group.b = {ones.data(), 0, nullptr, sizeof(T)};
    group.c = {next, n * n, nullptr, sizeof(T)};
    next += group.count * n * n;
  }
  int wrong = 0;
  with_each_allocation_failing([&] {
    for (T& element : c) element = 2;
    engine.cpu().run(batch, cpu);
    for (const BatchGroup& group : batch.groups)
      for (std::int64_t i = 0; i < group.count * group.shape.m * group.shape.n; ++i)
        wrong += static_cast<const T*>(group.c.first)[i] != static_cast<T>(group.shape.k + 2);
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(ShortMemoryOfTheCpu, ReflectorsAreMadeAndAppliedAllTheSame) {
  const Orthogonal<T> original(150, 40, 0, 7);
  Orthogonal<T> matrix = original;
  double error = 0;
  with_each_allocation_failing([&] {
    for (std::int64_t j = 0; j < 40; ++j)
      for (std::int64_t i = 0; i < 150; ++i) matrix.factors.at(j, i) = original.a.at(j, i);
    engine.cpu().run(matrix.problem(), cpu);
  });
  EXPECT_LT(qr_error(matrix), most_error);
  Columns<T> before(1100, 150), c(1100, 150);
  before.randomise(8);
  Columns<InDoubles<T>> expected(1100, 150);
  for (std::int64_t j = 0; j < 1100; ++j)
    for (std::int64_t i = 0; i < 150; ++i) expected.at(j, i) = before.at(j, i);
  reflect(matrix, false, expected);
  LapackProblem p = matrix.problem(LapackRoutine::ormqr);
  with_right_sides(p, c);
  with_each_allocation_failing([&] {
    for (std::int64_t j = 0; j < 1100; ++j)
      for (std::int64_t i = 0; i < 150; ++i) c.at(j, i) = before.at(j, i);
    engine.cpu().run(p, cpu);
    error =
        std::max(error, static_cast<double>(std::abs(c.at(1099, 149) - T(expected.at(1099, 149)))));
  });
  EXPECT_LT(difference(c, expected), most_error);
  EXPECT_LT(error, 1e-4);
}

}  // namespace
}  // namespace duoblas::test
