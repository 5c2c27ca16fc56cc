// getrf and potrf with the matrix on the device for the length of the call, as on one that works on
// copies.
#include <cmath>

#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

Settings without_checks() {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;  // results that are checked are products'
  return settings;
}

template <typename T>
void expect_lu_right(Engine& engine, std::int64_t rows, std::int64_t columns) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
  General<T> ours(rows, columns, 3, 17), lapacks = ours;
  const LapackOutcome did = run(engine, ours.problem(), MatrixHome::copied);
  EXPECT_EQ(did.info, 0);
  EXPECT_TRUE(did.outcome.used_gpu);
  EXPECT_FALSE(did.outcome.recovered);
  EXPECT_EQ(did.outcome.products, 1) << "it was one job";
  EXPECT_LT(ours.error(), most_error);
  EXPECT_TRUE(ours.factors.guards_untouched());
  engine.cpu().run(lapacks.problem(), engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
  EXPECT_EQ(ours.pivots, lapacks.pivots);
}

TEST(LuOfACopy, IsRightForEveryShape) {
  Engine engine(without_checks());
  for_types_of_device(engine, [&](auto zero) {
    for (const auto& [rows, columns] :
         {std::pair{12, 12}, {17, 33}, {64, 64}, {130, 97}, {97, 130}, {211, 211}, {60, 250}})
      expect_lu_right<decltype(zero)>(engine, rows, columns);
  });
}

// Panels of the usual width, whose triangles have two leaves.
TEST(LuOfACopy, IsRightWithWidePanels) {
  Engine engine(without_checks());
  for_a_type_of_device(engine,
                       [&](auto zero) { expect_lu_right<decltype(zero)>(engine, 1040, 1040); });
}

TEST(LuOfACopy, SaysTheFirstZeroPivotAndGoesOn) {
  Engine engine(without_checks());
  for_types_of_device(engine, [&](auto of_type) {
    for (const std::int64_t zero : {0, 40, 77}) {
      General<decltype(of_type)> matrix(100, 100, 0, 5);
      for (std::int64_t i = 0; i < 100; ++i) matrix.a.at(zero, i) = matrix.a.at(90, i) = 0;
      matrix.restore();
      EXPECT_EQ(run(engine, matrix.problem(), MatrixHome::copied).info, zero + 1);
      EXPECT_LT(matrix.error(), most_error);
    }
  });
}

TEST(CholeskyOfACopy, IsRightForEverySizeAndLeavesTheOtherTriangle) {
  Engine engine(without_checks());
  for_types_of_device(engine, [&](auto zero) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t n : {12, 33, 100, 257}) {
        SCOPED_TRACE(std::to_string(n) + (uplo == Uplo::lower ? " lower" : " upper"));
        Definite<decltype(zero)> matrix(n, uplo, 4, 21);
        const LapackOutcome did =
            run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::copied);
        EXPECT_EQ(did.info, 0);
        EXPECT_TRUE(did.outcome.used_gpu);
        EXPECT_EQ(did.outcome.products, 1);
        EXPECT_LT(matrix.error(), most_error);
        EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
        EXPECT_TRUE(matrix.stored.guards_untouched());
      }
  });
}

// One triangle of each type, since these matrices are large.
template <typename T>
constexpr Uplo triangle_for = sizeof(T) == 8 ? Uplo::upper : Uplo::lower;

// Blocks on the diagonal that have two triangles to invert.
TEST(CholeskyOfACopy, IsRightWithWidePanels) {
  Engine engine(without_checks());
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    Definite<T> matrix(584, triangle_for<T>, 3, 21);  // panels of 72
    EXPECT_EQ(run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::copied).info, 0);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
  });
}

// L L' of an L whose parts on the diagonal are 1, -c, -c, ..: their inverses grow with powers of
// 1 + c, and what is solved for with them loses as many digits, unless it is corrected.
TEST(CholeskyOfACopy, IsRightWhereTrianglesAreIllConditioned) {
  Engine engine(without_checks());
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    using Real = decltype(std::abs(zero));
    SCOPED_TRACE(letter(precision_of<T>));
    constexpr std::int64_t n = 520, part = 64;  // as wide as panels
    Definite<T> matrix(n, triangle_for<T>, 0, 3);
    Columns<double> l(n, n);
    l.randomise(4);
    // The whole matrix stays definite by far in its type (of doubles its condition is 3e12).
    const double c = sizeof(Real) == 4 ? 0.02 : 0.15, coupling = 0.001;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i / part * part; j <= i; ++j) l.at(j, i) = i == j ? 1 : -c;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k <= j; ++k) {
          const double scale =
              (k / part == i / part ? 1 : coupling) * (k / part == j / part ? 1 : coupling);
          sum += scale * l.at(k, i) * l.at(k, j);
        }
        matrix.whole.at(j, i) = matrix.whole.at(i, j) = T(static_cast<Real>(sum));
      }
    matrix.store();
    EXPECT_EQ(run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::copied).info, 0);
    EXPECT_LT(matrix.error(), 1);
  });
}

TEST(CholeskyOfACopy, SaysTheFirstMinorThatIsNotPositive) {
  Engine engine(without_checks());
  for_types_of_device(engine, [&](auto zero) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t wrong : {0, 3, 50, 119}) {
        Definite<decltype(zero)> matrix(120, uplo, 0, 9);
        matrix.whole.at(wrong, wrong) = -1;
        matrix.store();
        EXPECT_EQ(run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::copied).info,
                  wrong + 1);
        EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
        // Solvers of trust regions go on with the factor of what is before that minor.
        if (wrong > 0) {
          EXPECT_LT(matrix.error_of_leading(wrong), most_error) << wrong;
        }
      }
  });
}

}  // namespace
}  // namespace duoblas::test
