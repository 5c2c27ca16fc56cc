// getri: in place, with the matrix on the device, and on the CPU alone.
#include <cmath>

#include "support/inverse_case.hpp"

namespace duoblas::test {
namespace {

Settings without_checks() {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;  // results that are checked are products'
  return settings;
}

constexpr MatrixHome homes[] = {MatrixHome::copied, MatrixHome::in_place};

template <typename T>
void expect_general_inverted(Engine& engine, std::int64_t n, MatrixHome home) {
  SCOPED_TRACE(std::to_string(n) + " " + letter(precision_of<T>) +
               (home == MatrixHome::copied ? " copied" : " in place"));
  General<T> matrix(n, n, 3, 71);
  engine.cpu().run(matrix.problem(), engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
  const LapackOutcome did = run(engine, matrix.problem(LapackRoutine::getri), home);
  EXPECT_EQ(did.info, 0);
  EXPECT_FALSE(did.outcome.recovered);
  EXPECT_TRUE(n < 33 || did.outcome.used_gpu) << sentence(did.outcome.plan.reason);
  EXPECT_LT(inverse_error(matrix.factors, matrix.a), most_error);
  EXPECT_TRUE(matrix.factors.guards_untouched());
}

TEST(Inverse, OfAGeneralMatrixIsRightForEverySize) {
  Engine engine(without_checks());
  for (const MatrixHome home : homes)
    for (const std::int64_t n : {1, 2, 16, 33, 100, 141})
      for_types_of_device(
          engine, [&](auto zero) { expect_general_inverted<decltype(zero)>(engine, n, home); });
}

// Of a copy blocks of 72 columns, and so several of them in a strip.
TEST(Inverse, IsRightWithWideBlocks) {
  Engine engine(without_checks());
  for_a_type_of_device(engine, [&](auto zero) {
    expect_general_inverted<decltype(zero)>(engine, 583, MatrixHome::copied);
  });
}

TEST(Inverse, OfASingularMatrixSaysWhereAndLeavesItsFactors) {
  Engine engine(without_checks());
  for (const MatrixHome home : homes)
    for (const std::int64_t at : {0, 70, 99}) {
      General<double> matrix(100, 100, 3, 73);
      run(engine, matrix.problem());
      matrix.factors.at(at, at) = 0;
      matrix.factors.at(99, 99) = 0;
      const Columns<double> before = matrix.factors;
      EXPECT_EQ(run(engine, matrix.problem(LapackRoutine::getri), home).info, at + 1);
      for (std::int64_t j = 0; j < 100; ++j)
        for (std::int64_t i = 0; i < 100; ++i) ASSERT_EQ(matrix.factors.at(j, i), before.at(j, i));
    }
}

// Rows of U that grow smaller and smaller: of an inverse in pieces the parts differ by as much.
TEST(Inverse, OfABadlyScaledMatrixIsRight) {
  Engine engine(without_checks());
  for (const MatrixHome home : homes)
    for_types_of_device(engine, [&](auto zero) {
      using T = decltype(zero);
      constexpr std::int64_t n = 130;
      General<T> matrix(n, n, 0, 75);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          matrix.a.at(j, i) *= static_cast<Real<T>>(std::exp2(-static_cast<double>(j) / 8));
      matrix.restore();
      EXPECT_EQ(run(engine, matrix.problem()).info, 0);
      EXPECT_EQ(run(engine, matrix.problem(LapackRoutine::getri), home).info, 0);
      EXPECT_LT(inverse_error(matrix.factors, matrix.a), most_error);
    });
}

}  // namespace
}  // namespace duoblas::test
