// Each OpenCL call of a factorisation fails in turn: the CPU finishes, with the same pivots.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cl_layer/lapack_under_layer.hpp"
#include "support/inverse_case.hpp"
#include "support/lapack_case.hpp"
#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

struct FailingLapack : LapackUnderLayer<testing::TestWithParam<MatrixHome>> {
  /// Runs with a call of OpenCL failing, the first ones and ever fewer of the later ones, each in
  /// an engine of its own. \returns how often the CPU had to step in.
  template <typename Factorise>
  int with_each_call_failing(Factorise&& factorise) {
    int recovered = 0;
    auto engine = std::make_unique<Engine>(settings());
    EXPECT_NE(engine->gpu(), nullptr) << engine->facts().gpu_problem();
    factorise(*engine);  // makes what later ones have
    bool fired = true;
    for (int number = 1; fired && number < 20000; number += 1 + number / 3) {
      SCOPED_TRACE(number);
      layer.fail(("*:" + std::to_string(number)).c_str());
      const LapackOutcome did = factorise(*engine);
      fired = layer.fired() != 0;
      layer.reset();
      recovered += did.outcome.recovered;
      if (!did.outcome.recovered) continue;
      engine = std::make_unique<Engine>(settings());
      EXPECT_NE(engine->gpu(), nullptr) << engine->facts().gpu_problem();
    }
    EXPECT_FALSE(fired) << "no end of calls";
    return recovered;
  }
};

INSTANTIATE_TEST_SUITE_P(Homes, FailingLapack,
                         ::testing::Values(MatrixHome::copied, MatrixHome::in_place),
                         [](const auto& home) {
                           return home.param == MatrixHome::copied ? "copied" : "in_place";
                         });

template <typename T>
void expect_lu_completed(FailingLapack& test, std::int64_t columns) {
  const General<T> original(60, columns, 2, 7);
  std::vector<std::int32_t> pivots;
  const int recovered = test.with_each_call_failing([&](Engine& engine) {
    General<T> matrix = original;
    LapackOutcome did = run(engine, matrix.problem(), FailingLapack::GetParam());
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_TRUE(matrix.factors.guards_untouched());
    if (pivots.empty()) pivots = matrix.pivots;
    EXPECT_EQ(matrix.pivots, pivots);
    return did;
  });
  EXPECT_GT(recovered, 5);
}

TEST_P(FailingLapack, LeavesARestOfLuThatTheCpuCompletes) {
  expect_lu_completed<double>(*this, 50);
  expect_lu_completed<std::complex<float>>(*this, 50);
  expect_lu_completed<double>(*this, 120);  // in place, the device has two parts of a step
}

// A panel may be in the caller's memory when what goes to the device beside it fails.
TEST_P(FailingLapack, LeavesPanelsOfLuThatAreThereBeforeTheDeviceHasThem) {
  if (GetParam() != MatrixHome::copied) return;
  const General<double> original(33, 33, 2, 7);
  bool fired = true;
  for (int number = 1; fired; ++number) {
    SCOPED_TRACE(number);
    Engine engine(settings());
    General<double> matrix = original;
    run(engine, matrix.problem(), GetParam());
    matrix = original;
    layer.fail(("clEnqueueWriteBuffer:" + std::to_string(number)).c_str());
    const LapackOutcome did = run(engine, matrix.problem(), GetParam());
    fired = layer.fired() != 0;
    layer.reset();
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(matrix.error(), most_error);
  }
}

template <typename T>
void expect_cholesky_completed(FailingLapack& test, Uplo uplo) {
  const Definite<T> original(50, uplo, 2, 7);
  const int recovered = test.with_each_call_failing([&](Engine& engine) {
    Definite<T> matrix = original;
    LapackOutcome did =
        run(engine, matrix.problem(LapackRoutine::potrf), FailingLapack::GetParam());
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
    EXPECT_TRUE(matrix.stored.guards_untouched());
    return did;
  });
  EXPECT_GT(recovered, 5);
}

TEST_P(FailingLapack, LeavesARestOfCholeskyThatTheCpuCompletes) {
  expect_cholesky_completed<double>(*this, Uplo::lower);
  expect_cholesky_completed<std::complex<double>>(*this, Uplo::upper);
}

// The device's block is not definite, and then the device fails: what the CPU says counts, which
// begins again. The sixth product is the second panel's update of the next block on the diagonal.
TEST_P(FailingLapack, LeavesACholeskyOfWhichOnlyTheCpuSaysWhetherItIsDefinite) {
  if (GetParam() != MatrixHome::copied) return;
  auto engine = std::make_unique<Engine>(settings());
  ASSERT_NE(engine->gpu(), nullptr) << engine->facts().gpu_problem();
  const Definite<double> original(130, Uplo::lower, 2, 7);
  const auto factorise = [&] {
    Definite<double> matrix = original;
    const LapackOutcome did = run(*engine, matrix.problem(LapackRoutine::potrf), GetParam());
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(matrix.error(), most_error);
    return did.outcome.recovered;
  };
  const auto spoilt_with_failure = [&](const char* failing) {
    layer.reset();
    layer.spoil("add d 6 3 3 1 1 -1e6");
    layer.fail(failing);
    const bool has_failed = factorise();
    EXPECT_TRUE(has_failed || layer.spoilt() == 1);
    layer.spoil(nullptr);
    return has_failed;
  };
  factorise();
  for (int time = 0; time < 2; ++time) EXPECT_FALSE(spoilt_with_failure("*:100000"));
  long number = layer.calls() - 50;  // before it waits for what is under way
  int recovered = 0;
  for (bool fired = true; fired; ++number) {
    SCOPED_TRACE(number);
    const bool has_failed = spoilt_with_failure(("*:" + std::to_string(number)).c_str());
    fired = layer.fired() != 0;
    layer.reset();
    recovered += has_failed;
    if (!has_failed) continue;
    engine = std::make_unique<Engine>(settings());
    factorise();
  }
  EXPECT_GT(recovered, 0);
}

// A solver's right-hand sides are looked at once the factors are there.
TEST_P(FailingLapack, LeavesEquationsThatTheCpuSolves) {
  constexpr std::int64_t n = 50;
  const General<double> original(n, n, 2, 7);
  Columns<double> b(70, n);
  b.randomise(8);
  const int recovered = with_each_call_failing([&](Engine& engine) {
    General<double> matrix = original;
    Columns<double> x = b;
    LapackProblem p = matrix.problem(LapackRoutine::gesv);
    with_right_sides(p, x);
    LapackOutcome did = run(engine, p, GetParam());
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(residual(matrix.a, x, b), most_error);
    return did;
  });
  EXPECT_GT(recovered, 5);
}

// Memory for the right-hand sides is short, and nothing else: LU was done, and is not done again.
TEST_P(FailingLapack, LeavesEquationsThatTheCpuSolvesWithTheDevicesFactors) {
  if (GetParam() != MatrixHome::copied) return;
  constexpr std::int64_t n = 50;
  Engine engine(settings());
  const General<double> original(n, n, 2, 7);
  Columns<double> b(70, n);
  b.randomise(8);
  General<double> matrix = original;
  Columns<double> x = b;
  const auto solved = [&](const char* failing) {
    matrix = original;
    x = b;
    LapackProblem p = matrix.problem(LapackRoutine::gesv);
    with_right_sides(p, x);
    layer.reset();
    if (*failing != 0) layer.fail(failing);
    Outcome did = run(engine, p, GetParam()).outcome;
    layer.reset();
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_LT(residual(matrix.a, x, b), most_error);
    return did;
  };
  EXPECT_FALSE(solved("").recovered);
  matrix = original;
  layer.reset();
  EXPECT_TRUE(run(engine, matrix.problem(), GetParam()).outcome.used_gpu);
  const long of_lu = layer.calls_of("clCreateBuffer");
  const Outcome did = solved(("clCreateBuffer:" + std::to_string(of_lu + 1) + "+=-4").c_str());
  EXPECT_TRUE(did.used_gpu);
  EXPECT_TRUE(did.recovered);
  EXPECT_FALSE(solved("").recovered);
}

// Products of other calls work meanwhile.
TEST_P(FailingLapack, IsNotTriedInEachCallIfItFailsInEach) {
  if (GetParam() != MatrixHome::copied) return;
  Engine engine(settings());
  const Definite<double> original(50, Uplo::lower, 2, 7);
  int failures = 0;
  const auto factorise = [&](const char* failing) {
    Definite<double> matrix = original;
    layer.reset();
    if (*failing != 0) layer.fail(failing);
    LapackOutcome did = run(engine, matrix.problem(LapackRoutine::potrf), GetParam());
    layer.reset();
    EXPECT_LT(matrix.error(), most_error);
    return std::move(did.outcome);
  };
  EXPECT_TRUE(factorise("").used_gpu);
  std::vector<double> ones(64 * 64, 1), c(64 * 64);
  GemmProblem product;
  product.precision = Precision::d;
  product.m = product.n = product.k = product.lda = product.ldb = product.ldc = 64;
  product.a = product.b = ones.data();
  product.c = c.data();
  for (int call = 0; call < 19; ++call) {
    failures += factorise("clCreateBuffer:1+=-4").recovered;
    EXPECT_TRUE(engine.run(product).used_gpu);
  }
  EXPECT_EQ(failures, 5) << "three in a row, then after 2 and 4 calls";
  Outcome later = factorise("");
  for (int call = 0; call < 10 && !later.used_gpu; ++call) later = factorise("");
  EXPECT_TRUE(later.used_gpu);
  EXPECT_TRUE(factorise("").used_gpu);
}

TEST_P(FailingLapack, LeavesEquationsOfADefiniteMatrixThatTheCpuSolves) {
  constexpr std::int64_t n = 50;
  Engine on_cpu(settings());
  Definite<double> matrix(n, Uplo::lower, 2, 7);
  on_cpu.cpu().run(matrix.problem(LapackRoutine::potrf),
                   on_cpu.plans().cpu_alone(Precision::d, Reason::none).cpu);
  Columns<double> b(70, n, 3);
  b.randomise(8);
  const int recovered = with_each_call_failing([&](Engine& engine) {
    Columns<double> x = b;
    LapackProblem p = matrix.problem(LapackRoutine::potrs);
    with_right_sides(p, x);
    LapackOutcome did = run(engine, p, GetParam());
    EXPECT_LT(residual(matrix.whole, x, b), most_error);
    EXPECT_TRUE(x.guards_untouched());
    return did;
  });
  EXPECT_GT(recovered, 5);
}

TEST_P(FailingLapack, LeavesFactorsThatTheCpuInverts) {
  Engine on_cpu(settings());
  General<double> factors(50, 50, 2, 7);
  on_cpu.cpu().run(factors.problem(), on_cpu.plans().cpu_alone(Precision::d, Reason::none).cpu);
  const int recovered = with_each_call_failing([&](Engine& engine) {
    General<double> matrix = factors;
    LapackOutcome did = run(engine, matrix.problem(LapackRoutine::getri), GetParam());
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(inverse_error(matrix.factors, matrix.a), most_error);
    EXPECT_TRUE(matrix.factors.guards_untouched());
    return did;
  });
  EXPECT_GT(recovered, 5);
}

TEST_P(FailingLapack, LeavesARestOfQrThatTheCpuCompletes) {
  using Complex = std::complex<double>;
  const Orthogonal<Complex> original(60, 50, 2, 7);
  const int recovered = with_each_call_failing([&](Engine& engine) {
    Orthogonal<Complex> matrix = original;
    LapackOutcome did = run(engine, matrix.problem(), GetParam());
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(qr_error(matrix), most_error);
    EXPECT_TRUE(matrix.factors.guards_untouched());
    return did;
  });
  EXPECT_GT(recovered, 5);
}

// Memory for a panel's reflectors is waited for before the panel is begun.
TEST_P(FailingLapack, LeavesARestOfQrWhereAWaitFails) {
  if (GetParam() != MatrixHome::copied) return;
  bool fired = true;
  for (int number = 1; fired; ++number) {
    SCOPED_TRACE(number);
    Engine engine(settings());
    const Orthogonal<double> original(44, 42, 2, 7);
    Orthogonal<double> matrix = original;
    run(engine, matrix.problem(), GetParam());
    matrix = original;
    layer.fail(("clWaitForEvents:" + std::to_string(number)).c_str());
    EXPECT_NO_THROW(run(engine, matrix.problem(), GetParam()));
    fired = layer.fired() != 0;
    layer.reset();
    EXPECT_LT(qr_error(matrix), most_error);
  }
}

TEST_P(FailingLapack, LeavesReflectorsThatTheCpuFormsQOf) {
  Engine on_cpu(settings());
  const Orthogonal<double> original = factorised<double>(on_cpu, 60, 50, 2, 7);
  Columns<double> q(50, 60);
  for (std::int64_t j = 0; j < 50; ++j)
    for (std::int64_t i = 0; i < 60; ++i) q.at(j, i) = i == j ? 1 : 0;
  reflect(original, false, q);
  const int recovered = with_each_call_failing([&](Engine& engine) {
    Orthogonal<double> matrix = original;
    LapackProblem p = matrix.problem(LapackRoutine::orgqr);
    p.reflectors = 50;
    LapackOutcome did = run(engine, p, GetParam());
    EXPECT_LT(difference(matrix.factors, q), most_error);
    EXPECT_TRUE(matrix.factors.guards_untouched());
    return did;
  });
  EXPECT_GT(recovered, 5);
}

// From the right: B Q = (Q' B')', of which the copy is B'.
TEST_P(FailingLapack, LeavesColumnsThatTheCpuMultipliesByQ) {
  Engine on_cpu(settings());
  Orthogonal<double> matrix = factorised<double>(on_cpu, 60, 50, 2, 7);
  Columns<double> b(60, 70, 3), turned(70, 60), expected(60, 70);
  b.randomise(8);
  for (std::int64_t j = 0; j < 60; ++j)
    for (std::int64_t i = 0; i < 70; ++i) turned.at(i, j) = b.at(j, i);
  reflect(matrix, true, turned);
  for (std::int64_t j = 0; j < 60; ++j)
    for (std::int64_t i = 0; i < 70; ++i) expected.at(j, i) = turned.at(i, j);
  const int recovered = with_each_call_failing([&](Engine& engine) {
    Columns<double> c = b;
    LapackProblem p = matrix.problem(LapackRoutine::ormqr);
    p.side = Side::right;
    p.right_sides = 70;
    p.b = c.data();
    p.ldb = c.ld();
    LapackOutcome did = run(engine, p, GetParam());
    EXPECT_LT(difference(c, expected), most_error);
    EXPECT_TRUE(c.guards_untouched());
    return did;
  });
  EXPECT_GT(recovered, 5);
}

}  // namespace
}  // namespace duoblas::test
