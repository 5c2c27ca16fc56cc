// gesv, posv and what is made of factors.
#include "engine/cpu_blas.hpp"
#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

template <typename T>
void expect_general_solved(Engine& engine, std::int64_t n, std::int64_t sides) {
  SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(sides) + " right-hand sides");
  General<T> matrix(n, n, 3, 31);
  Columns<T> b(sides, n, 2);
  b.randomise(32);
  Columns<T> x = b;
  LapackProblem p = matrix.problem(LapackRoutine::gesv);
  p.m = 0;  // gesv has no m
  with_right_sides(p, x);
  EXPECT_EQ(run(engine, p).info, 0);
  EXPECT_LT(residual(matrix.a, x, b), most_error);
  EXPECT_TRUE(x.guards_untouched());
  x = b;
  p.routine = LapackRoutine::getrs;
  EXPECT_EQ(run(engine, p).info, 0);
  EXPECT_LT(residual(matrix.a, x, b), most_error);
}

template <typename T>
void expect_definite_solved(Engine& engine, Uplo uplo, std::int64_t n, std::int64_t sides) {
  SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(sides) + " right-hand sides");
  Definite<T> matrix(n, uplo, 3, 41);
  Columns<T> b(sides, n, 2);
  b.randomise(42);
  for (const LapackRoutine routine : {LapackRoutine::posv, LapackRoutine::potrs}) {
    Columns<T> x = b;
    LapackProblem p = matrix.problem(routine);
    with_right_sides(p, x);
    EXPECT_EQ(run(engine, p).info, 0);
    EXPECT_LT(residual(matrix.whole, x, b), most_error);
    EXPECT_TRUE(x.guards_untouched());
  }
}

TEST(Solves, AreRightWithFewAndManyRightHandSides) {
  Engine engine(forced_lapack());
  for (const std::int64_t n : {1, 2, 40, 130})
    for (const std::int64_t sides : {0, 1, 70}) {
      for_all_types([&](auto zero) {
        using T = decltype(zero);
        expect_general_solved<T>(engine, n, sides);
        for (const Uplo uplo : {Uplo::lower, Uplo::upper})
          expect_definite_solved<T>(engine, uplo, n, sides);
      });
    }
}

TEST(Solves, WithATransposedMatrixAreRight) {
  Engine engine(forced_lapack());
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    General<T> matrix(90, 90, 0, 51);
    EXPECT_EQ(run(engine, matrix.problem()).info, 0);
    for (const Op op : {Op::transpose, Op::conj_transpose}) {
      Columns<T> turned(90, 90), b(70, 90);
      for (std::int64_t j = 0; j < 90; ++j)
        for (std::int64_t i = 0; i < 90; ++i)
          turned.at(j, i) = op == Op::transpose ? matrix.a.at(i, j) : conj_of(matrix.a.at(i, j));
      b.randomise(52);
      Columns<T> x = b;
      LapackProblem p = matrix.problem(LapackRoutine::getrs);
      p.op = op;
      with_right_sides(p, x);
      EXPECT_EQ(run(engine, p).info, 0);
      EXPECT_LT(residual(turned, x, b), most_error);
    }
  });
}

// With more right-hand sides than a strip has, and triangles that are ill-conditioned.
TEST(Solves, OnTheDeviceAreRightForEveryOp) {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  Engine engine(settings);
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t n : {33, 141}) {
      General<T> matrix(n, n, 3, 53);
      // Columns nearly the same, so that U's last blocks are next to singular.
      for (std::int64_t i = 0; i < n; ++i)
        matrix.a.at(n - 1, i) = matrix.a.at(n - 2, i) + matrix.a.at(n - 1, i) * Real<T>(1e-3);
      matrix.restore();
      engine.cpu().run(matrix.problem(),
                       engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
      for (const Op op : {Op::none, Op::transpose, Op::conj_transpose}) {
        SCOPED_TRACE(std::to_string(n) + " " + letter(precision_of<T>) + " op " +
                     std::to_string(static_cast<int>(op)));
        Columns<T> turned(n, n), b(70, n, 5);
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < n; ++i)
            turned.at(j, i) = op == Op::none        ? matrix.a.at(j, i)
                              : op == Op::transpose ? matrix.a.at(i, j)
                                                    : conj_of(matrix.a.at(i, j));
        b.randomise(54);
        Columns<T> x = b;
        LapackProblem p = matrix.problem(LapackRoutine::getrs);
        p.op = op;
        with_right_sides(p, x);
        const LapackOutcome did = run(engine, p, MatrixHome::copied);
        EXPECT_TRUE(did.outcome.used_gpu);
        EXPECT_EQ(did.outcome.products, 1) << "it was one job";
        EXPECT_FALSE(did.outcome.recovered);
        EXPECT_LT(residual(turned, x, b), most_error);
        EXPECT_TRUE(x.guards_untouched());
      }
    }
  });
}

// gesv: with panels of L on the device whose rows are where they were when each was factorised.
TEST(Solves, WithTheFactorsThatTheDeviceHasAreRight) {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  Engine engine(settings);
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t n : {33, 141, 256}) {
      SCOPED_TRACE(std::to_string(n) + " " + letter(precision_of<T>));
      General<T> matrix(n, n, 3, 58);
      Columns<T> b(70, n, 5);
      b.randomise(59);
      Columns<T> x = b;
      LapackProblem p = matrix.problem(LapackRoutine::gesv);
      with_right_sides(p, x);
      const LapackOutcome did = run(engine, p, MatrixHome::copied);
      EXPECT_TRUE(did.outcome.used_gpu);
      EXPECT_FALSE(did.outcome.recovered);
      EXPECT_LT(residual(matrix.a, x, b), most_error);
      EXPECT_LT(matrix.error(), most_error);
      EXPECT_TRUE(x.guards_untouched());
    }
  });
}

TEST(Solves, OfASingularMatrixThatTheDeviceHasLeaveTheRightHandSides) {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  Engine engine(settings);
  for_a_type_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    General<T> matrix(100, 100, 0, 61);
    for (std::int64_t i = 0; i < 100; ++i) matrix.a.at(70, i) = 0;
    matrix.restore();
    Columns<T> b(70, 100);
    b.randomise(62);
    Columns<T> x = b;
    LapackProblem p = matrix.problem(LapackRoutine::gesv);
    with_right_sides(p, x);
    EXPECT_EQ(run(engine, p, MatrixHome::copied).info, 71);
    for (std::int64_t j = 0; j < 70; ++j)
      for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(x.at(j, i), b.at(j, i));
  });
}

TEST(Solves, WithCholeskysFactorsAreOneJobOfTheDevice) {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  Engine engine(settings);
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t n : {33, 141}) {
        SCOPED_TRACE(std::to_string(n) + " " + letter(precision_of<T>) +
                     (uplo == Uplo::lower ? " lower" : " upper"));
        Definite<T> matrix(n, uplo, 3, 55);
        Columns<T> b(70, n, 5);
        b.randomise(56);
        for (const LapackRoutine routine : {LapackRoutine::posv, LapackRoutine::potrs}) {
          Columns<T> x = b;
          LapackProblem p = matrix.problem(routine);
          with_right_sides(p, x);
          const LapackOutcome did = run(engine, p, MatrixHome::copied);
          EXPECT_TRUE(did.outcome.used_gpu);
          EXPECT_EQ(did.outcome.products, 1) << "it was one job";
          EXPECT_FALSE(did.outcome.recovered);
          EXPECT_LT(residual(matrix.whole, x, b), most_error);
          EXPECT_TRUE(x.guards_untouched());
          EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
        }
      }
  });
}

// Swaps with rows before, which getrf never has, but LAPACK's getrs does all the same.
TEST(Solves, DoAnySwapsThatPivotsSay) {
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  Engine engine(settings);
  for_a_type_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t n = 70;
    General<T> matrix(n, n, 3, 57);
    const CpuConfig cpu = engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu;
    engine.cpu().run(matrix.problem(), cpu);
    matrix.pivots[40] = 4;
    for (const Op op : {Op::none, Op::transpose}) {
      Columns<T> x(70, n, 5);
      x.randomise(58);
      Columns<T> expected = x;
      LapackProblem p = matrix.problem(LapackRoutine::getrs);
      p.op = op;
      with_right_sides(p, expected);
      engine.cpu().run(p, cpu);
      with_right_sides(p, x);
      EXPECT_EQ(run(engine, p, MatrixHome::copied).info, 0);
      const auto of = [](const Columns<T>& of_matrix) {
        return norm(n, 70, [&](auto i, auto j) { return of_matrix.at(j, i); });
      };
      const auto difference = [&](auto i, auto j) { return x.at(j, i) - expected.at(j, i); };
      EXPECT_LT(norm(n, 70, difference), 1e-3 * of(expected));
    }
  });
}

// Numbers whose inverses are too large for the type, and zeros, which getrs does not look for.
TEST(Solves, WithPivotsThatHaveNoInverseAreTheCpus) {
  Settings settings = forced_lapack();
  settings.check = CheckMode::always;
  Engine engine(settings);
  struct Case {
    bool is_zero;
    Op op;
  };
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t n = 80, sides = 70, place = 37;
    // After three of these in a row some would leave the device alone, so one that it does comes
    // between them.
    General<T> suited(n, n, 3, 63);
    run_on_cpu(engine, suited.problem());
    const auto is_done_by_device = [&] {
      Columns<T> x(sides, n);
      x.randomise(64);
      LapackProblem p = suited.problem(LapackRoutine::getrs);
      with_right_sides(p, x);
      return run(engine, p, MatrixHome::copied).outcome.used_gpu;
    };
    for (const Case of : {Case{false, Op::none},
                          {false, Op::conj_transpose},
                          {true, Op::none},
                          {true, Op::conj_transpose},
                          {false, Op::none}}) {
      SCOPED_TRACE(std::string(1, letter(precision_of<T>)) + (of.is_zero ? " zero, op " : " op ") +
                   std::to_string(static_cast<int>(of.op)));
      General<T> matrix(n, n, 3, 63);
      run_on_cpu(engine, matrix.problem());
      matrix.factors.at(place, place) =
          of.is_zero ? Real<T>(0) : std::numeric_limits<Real<T>>::denorm_min();
      Columns<T> x(sides, n), expected(sides, n);
      x.randomise(64);
      expected = x;
      LapackProblem p = matrix.problem(LapackRoutine::getrs);
      p.op = of.op;
      with_right_sides(p, expected);
      run_on_cpu(engine, p);
      with_right_sides(p, x);
      const LapackOutcome did = run(engine, p, MatrixHome::copied);
      EXPECT_TRUE(did.outcome.was_declined);
      EXPECT_EQ(engine.checks().counts().wrong, 0u);
      const auto finite = [](const Columns<T>& of_matrix, std::int64_t j, std::int64_t i) {
        return std::isfinite(std::abs(of_matrix.at(j, i)));
      };
      EXPECT_FALSE(finite(x, 0, place));
      for (std::int64_t j = 0; j < sides; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          EXPECT_EQ(finite(x, j, i), finite(expected, j, i)) << i << ", " << j;
      EXPECT_TRUE(is_done_by_device());
    }
  });
}

TEST(Solves, OfASingularMatrixLeaveTheRightHandSides) {
  Engine engine(forced_lapack());
  General<double> matrix(100, 100, 0, 61);
  for (std::int64_t i = 0; i < 100; ++i) matrix.a.at(70, i) = 0;
  matrix.restore();
  Columns<double> b(3, 100);
  b.randomise(62);
  Columns<double> x = b;
  LapackProblem p = matrix.problem(LapackRoutine::gesv);
  with_right_sides(p, x);
  EXPECT_EQ(run(engine, p).info, 71);
  for (std::int64_t j = 0; j < 3; ++j)
    for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(x.at(j, i), b.at(j, i));
}

}  // namespace
}  // namespace duoblas::test
