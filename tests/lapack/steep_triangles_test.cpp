// Moler's matrix, L L' of an L with 1 on its diagonal and -1 everywhere below: the inverse of such
// a triangle grows by a power of two with each line, and products with it lose as many digits.
// Substitution loses none: all its numbers are small integers. (C. B. Moler; it is in J. C. Nash,
// Compact numerical methods for computers, 1979.)
#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

Settings with_checks(CheckMode mode) {
  Settings settings = forced_lapack();
  settings.check = mode;
  return settings;
}

template <typename T>
T molers(std::int64_t i, std::int64_t j) {
  const std::int64_t value = i == j ? i + 1 : std::min(i, j) - 1;
  return T(static_cast<Real<T>>(value));
}

// Panels of 64 columns, that is as wide as a triangle that is inverted.
constexpr std::int64_t n = 520;

template <typename T>
General<T> molers_matrix() {
  General<T> matrix(n, n, 3, 1);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) matrix.a.at(j, i) = molers<T>(i, j);
  matrix.restore();
  return matrix;
}

template <typename T>
Definite<T> definite_matrix(Uplo uplo) {
  Definite<T> matrix(n, uplo, 0, 1);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) matrix.whole.at(j, i) = molers<T>(i, j);
  matrix.store();
  return matrix;
}

template <typename T>
Columns<T> small_integers(std::int64_t sides) {
  Columns<T> x(sides, n);
  for (std::int64_t j = 0; j < sides; ++j)
    for (std::int64_t i = 0; i < n; ++i) x.at(j, i) = T(static_cast<Real<T>>((i * 7 + j) % 5 - 2));
  return x;
}

// L U of an L with 1, -c, -c, .. in each part on its diagonal, and a U of moderate numbers. The
// condition number of a part is so far from a rounding's reciprocal that L is well determined.
TEST(SteepTriangles, OfLuAreDivided) {
  Engine engine(with_checks(CheckMode::always));
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    SCOPED_TRACE(letter(precision_of<T>));
    constexpr std::int64_t part = 64;
    const double c = sizeof(Real<T>) == 4 ? 0.15 : 0.4, coupling = 0.01;
    Columns<double> l(n, n), u(n, n);
    l.randomise(4);
    u.randomise(5);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        l.at(j, i) = i < j ? 0 : i == j ? 1 : i / part == j / part ? -c : coupling * l.at(j, i);
        u.at(j, i) = i > j ? 0 : i == j ? 1 : coupling * u.at(j, i);
      }
    General<T> matrix(n, n, 3, 1);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::int64_t k = 0; k <= std::min(i, j); ++k) sum += l.at(k, i) * u.at(j, k);
        matrix.a.at(j, i) = T(static_cast<Real<T>>(sum));
      }
    matrix.restore();
    const LapackOutcome did = run(engine, matrix.problem(), MatrixHome::copied);
    EXPECT_EQ(did.info, 0);
    EXPECT_TRUE(did.outcome.used_gpu);
    EXPECT_FALSE(did.outcome.recovered);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_EQ(engine.checks().wrong, 0u);
  });
}

TEST(SteepTriangles, OfFactorsAreSolvedWith) {
  Engine engine(with_checks(CheckMode::off));  // gesv solves at once
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    SCOPED_TRACE(letter(precision_of<T>));
    const Columns<T> x = small_integers<T>(70);
    Columns<T> b(70, n);
    for (std::int64_t j = 0; j < 70; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        T sum = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += molers<T>(i, k) * x.at(j, k);
        b.at(j, i) = sum;
      }
    for (const LapackRoutine routine :
         {LapackRoutine::getrs, LapackRoutine::potrs, LapackRoutine::gesv, LapackRoutine::posv})
      for (const Op op : {Op::none, Op::conj_transpose}) {
        auto general = molers_matrix<T>();
        auto definite = definite_matrix<T>(op == Op::none ? Uplo::lower : Uplo::upper);
        LapackProblem p = general.problem();
        if (is_definite(routine)) p = definite.problem(LapackRoutine::potrf);
        if (!factorises(routine))
          engine.cpu().run(p, engine.cpu_alone(precision_of<T>, Reason::none).cpu);
        Columns<T> solved = b;
        p.routine = routine;
        p.op = routine == LapackRoutine::getrs ? op : Op::none;
        with_right_sides(p, solved);
        const LapackOutcome did = run(engine, p, MatrixHome::copied);
        EXPECT_TRUE(did.outcome.used_gpu);
        EXPECT_FALSE(did.outcome.recovered);
        EXPECT_LT(residual(general.a, solved, b), most_error)
            << static_cast<int>(routine) << " " << static_cast<int>(op);
      }
  });
}

}  // namespace
}  // namespace duoblas::test
