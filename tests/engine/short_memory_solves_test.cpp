// Allocations of solves and inverses on the device fail, and those of LAPACK's routines whose
// matrix the device has in place: results are right, or there is an error and nothing was written.
#include <memory>

#include "engine/short_memory_of_lapack.hpp"
#include "support/inverse_case.hpp"
#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

using T = float;

constexpr long each = 10000;  ///< every allocation fails once
constexpr long most = 25;     ///< the first, and from there on every 25th of so many

// getrs or getri, after LAPACK's getrf.
LapackMatrix of_general(LapackRoutine routine, Op op) {
  static Engine engine(lapack_without_checks());
  const auto matrix = std::make_shared<General<T>>(60, 60, 2, 7);
  const auto a = std::make_shared<Columns<T>>(matrix->a);
  LapackProblem p = matrix->problem();
  engine.cpu().run(p, engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
  const auto before = std::make_shared<Columns<T>>(matrix->factors);
  p.routine = routine;
  if (routine == LapackRoutine::getri)
    return {p, [=] { return inverse_error(matrix->factors, *a) < most_error; },
            [=] { return are_the_same(matrix->factors, *before); }};
  const auto b = std::make_shared<Columns<T>>(70, 60, 1);
  b->randomise(8);
  const auto x = std::make_shared<Columns<T>>(*b);
  with_right_sides(p, *x);
  p.op = op;
  if (op != Op::none)
    for (std::int64_t j = 0; j < 60; ++j)
      for (std::int64_t i = 0; i < 60; ++i) a->at(j, i) = matrix->a.at(i, j);
  return {p, [=] { return residual(*a, *x, *b) < most_error; },
          [=] { return are_the_same(*x, *b) && are_the_same(matrix->factors, *before); }};
}

// potrs, after LAPACK's potrf.
LapackMatrix of_definite() {
  static Engine engine(lapack_without_checks());
  const auto matrix = std::make_shared<Definite<T>>(60, Uplo::lower, 2, 7);
  engine.cpu().run(matrix->problem(LapackRoutine::potrf),
                   engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
  const auto before = std::make_shared<Columns<T>>(matrix->stored);
  LapackProblem p = matrix->problem(LapackRoutine::potrs);
  const auto b = std::make_shared<Columns<T>>(70, 60, 1);
  b->randomise(8);
  const auto x = std::make_shared<Columns<T>>(*b);
  with_right_sides(p, *x);
  return {p, [=] { return residual(matrix->whole, *x, *b) < most_error; },
          [=] { return are_the_same(*x, *b) && are_the_same(matrix->stored, *before); }};
}

class ShortMemoryInLinearEquations : public testing::TestWithParam<MatrixHome> {};

INSTANTIATE_TEST_SUITE_P(Homes, ShortMemoryInLinearEquations,
                         testing::Values(MatrixHome::copied, MatrixHome::in_place),
                         [](const auto& home) {
                           return home.param == MatrixHome::copied ? "copied" : "in_place";
                         });

TEST(ShortMemoryInSolves, LeavesRightSidesOfGetrsRightOrUnwritten) {
  expect_right_or_nothing([] { return of_general(LapackRoutine::getrs, Op::none); });
  // The last of all is for what follows the solves.
  expect_right_or_nothing([] { return of_general(LapackRoutine::getrs, Op::transpose); },
                          MatrixHome::copied, each);
}

TEST(ShortMemoryInSolves, LeavesRightSidesOfPotrsRightOrUnwritten) {
  expect_right_or_nothing([] { return of_definite(); });
}

TEST(ShortMemoryInInverses, LeavesGetriRightOrUnwritten) {
  expect_right_or_nothing([] { return of_general(LapackRoutine::getri, Op::none); });
}

TEST(ShortMemoryInPlace, LeavesInversesRightOrUnwritten) {
  expect_right_or_nothing([] { return of_general(LapackRoutine::getri, Op::none); },
                          MatrixHome::in_place);
}

TEST(ShortMemoryInPlace, LeavesLuRightOrUnwritten) {
  expect_right_or_nothing(
      [] {
        const auto matrix = std::make_shared<General<T>>(60, 60, 2, 7);
        return LapackMatrix{matrix->problem(), [=] { return matrix->error() < most_error; },
                            [=] { return are_the_same(matrix->factors, matrix->a); }};
      },
      MatrixHome::in_place, each);
}

TEST(ShortMemoryInPlace, LeavesCholeskyRightOrUnwritten) {
  expect_right_or_nothing(
      [] {
        const auto matrix = std::make_shared<Definite<T>>(60, Uplo::lower, 2, 7);
        const auto before = std::make_shared<Columns<T>>(matrix->stored);
        return LapackMatrix{matrix->problem(LapackRoutine::potrf),
                            [=] { return matrix->error() < most_error; },
                            [=] { return are_the_same(matrix->stored, *before); }};
      },
      MatrixHome::in_place, each);
}

TEST(ShortMemoryInPlace, LeavesRightSidesRightOrUnwritten) {
  expect_right_or_nothing([] { return of_general(LapackRoutine::getrs, Op::none); },
                          MatrixHome::in_place, most);
  // As above.
  expect_right_or_nothing([] { return of_general(LapackRoutine::getrs, Op::transpose); },
                          MatrixHome::in_place, each);
  expect_right_or_nothing([] { return of_definite(); }, MatrixHome::in_place, most);
}

// The factors are written before the right-hand sides.
TEST_P(ShortMemoryInLinearEquations, LeavesBothRightOrBothUnwritten) {
  expect_right_or_nothing(
      [] {
        const auto matrix = std::make_shared<General<T>>(60, 60, 2, 7);
        const auto b = std::make_shared<Columns<T>>(70, 60, 1);
        b->randomise(8);
        const auto x = std::make_shared<Columns<T>>(*b);
        LapackProblem p = matrix->problem(LapackRoutine::gesv);
        with_right_sides(p, *x);
        return LapackMatrix{
            p,
            [=] {
              return matrix->error() < most_error && residual(matrix->a, *x, *b) < most_error;
            },
            [=] { return are_the_same(*x, *b) && are_the_same(matrix->factors, matrix->a); }};
      },
      GetParam(), most);
}

TEST(ShortMemoryInPlace, LeavesQrRightOrUnwritten) {
  expect_right_or_nothing(
      [] {
        const auto matrix = std::make_shared<Orthogonal<T>>(60, 60, 2, 7);
        return LapackMatrix{matrix->problem(), [=] { return qr_error(*matrix) < most_error; },
                            [=] { return are_the_same(matrix->factors, matrix->a); }};
      },
      MatrixHome::in_place);
}

}  // namespace
}  // namespace duoblas::test
