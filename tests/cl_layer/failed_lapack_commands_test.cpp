// Copies and kernels of a factorisation fail on the device, not in the call that enqueues them, and
// the device goes on: nothing that is made of it reaches the caller.
#include <gtest/gtest.h>

#include "cl_layer/lapack_under_layer.hpp"
#include "support/inverse_case.hpp"
#include "support/lapack_case.hpp"
#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

struct CallsOfLapack : LapackUnderLayer<testing::Test> {
  /// Runs with a copy to the device that fails on its way, behind which the device goes on with
  /// what it has of another matrix: `factorise` gets a seed.
  template <typename Factorise>
  void with_each_upload_failing(Factorise&& factorise) {
    constexpr int short_of_memory = -4;
    auto engine = std::make_unique<Engine>(settings());
    ASSERT_NE(engine->gpu(), nullptr) << engine->facts().gpu_problem();
    layer.reset();
    EXPECT_TRUE(factorise(*engine, 1).outcome.used_gpu);
    const long uploads =
        layer.calls_of("clEnqueueWriteBuffer") + layer.calls_of("clEnqueueWriteBufferRect");
    EXPECT_GT(uploads, 1);
    for (long number = 1; number <= uploads; number += 1 + number / 2) {
      SCOPED_TRACE(number);
      layer.fail_command("upload", number, short_of_memory);
      EXPECT_TRUE(factorise(*engine, 7).outcome.recovered);
      layer.true_driver();
      engine = std::make_unique<Engine>(settings());
      ASSERT_NE(engine->gpu(), nullptr) << engine->facts().gpu_problem();
      factorise(*engine, 1);
    }
  }

  /// The same with a product whose kernel fails without an error of its launch: the device goes on
  /// with what is there. At least `products` of them are recovered from.
  template <typename Factorise>
  void with_each_product_failing(Factorise&& factorise, int products = 5) {
    constexpr int out_of_resources = -5;
    int recovered = 0;
    for (long launch = 1, last = 0; last == recovered; launch += 1 + launch / 2, ++last) {
      SCOPED_TRACE(launch);
      Engine engine(settings());
      ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
      factorise(engine, 1);
      layer.fail_kernel("gemm", launch, out_of_resources);
      recovered += factorise(engine, 7).outcome.recovered;
      layer.true_driver();
    }
    EXPECT_GE(recovered, products);
  }
};

// What comes back is made of it then, with no error of its own.
template <typename InTurn>
void expect_right(InTurn&& with_each_failing) {
  with_each_failing([&](Engine& engine, std::uint64_t seed) {
    General<double> matrix(60, 50, 2, seed);
    LapackOutcome did = run(engine, matrix.problem(), MatrixHome::copied);
    EXPECT_LT(matrix.error(), most_error);
    return did;
  });
  with_each_failing([&](Engine& engine, std::uint64_t seed) {
    Definite<double> matrix(50, Uplo::lower, 2, seed);
    LapackOutcome did = run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::copied);
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(matrix.error(), most_error);
    return did;
  });
  with_each_failing([&](Engine& engine, std::uint64_t seed) {
    Orthogonal<double> matrix(60, 50, 2, seed);
    LapackOutcome did = run(engine, matrix.problem(), MatrixHome::copied);
    EXPECT_LT(qr_error(matrix), most_error);
    return did;
  });
}

TEST_F(CallsOfLapack, GiveNothingThatIsMadeOfACopyThatFailed) {
  expect_right([&](auto&& factorise) { with_each_upload_failing(factorise); });
}

TEST_F(CallsOfLapack, GiveNothingThatIsMadeOfAProductThatFailed) {
  expect_right([&](auto&& factorise) { with_each_product_failing(factorise); });
}

// In place the device has written to the matrix by then.
TEST_F(CallsOfLapack, InPlaceGiveNothingThatIsMadeOfAProductThatFailed) {
  with_each_product_failing([&](Engine& engine, std::uint64_t seed) {
    General<double> matrix(130, 130, 2, seed);
    LapackOutcome did = run(engine, matrix.problem(), MatrixHome::in_place);
    EXPECT_LT(matrix.error(), most_error);
    return did;
  });
  constexpr int products_of_cholesky = 4;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    with_each_product_failing(
        [&](Engine& engine, std::uint64_t seed) {
          Definite<double> matrix(130, uplo, 2, seed);
          LapackOutcome did =
              run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::in_place);
          EXPECT_EQ(did.info, 0);
          EXPECT_LT(matrix.error(), most_error);
          EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
          return did;
        },
        products_of_cholesky);
}

// The device solves with the factors that it has.
TEST_F(CallsOfLapack, GiveNoSolutionThatIsMadeOfAProductThatFailed) {
  with_each_product_failing([&](Engine& engine, std::uint64_t seed) {
    General<double> matrix(50, 50, 2, seed);
    Columns<double> b(70, 50);
    b.randomise(seed + 1);
    Columns<double> x = b;
    LapackProblem p = matrix.problem(LapackRoutine::gesv);
    with_right_sides(p, x);
    LapackOutcome did = run(engine, p, MatrixHome::copied);
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(residual(matrix.a, x, b), most_error);
    return did;
  });
}

TEST_F(CallsOfLapack, GiveNoSolutionThatIsMadeOfACopyThatFailed) {
  Engine on_cpu(settings());
  const auto factorised = [&](std::uint64_t seed) {
    General<double> matrix(70, 70, 2, seed);
    on_cpu.cpu().run(matrix.problem(), on_cpu.plans().cpu_alone(Precision::d, Reason::none).cpu);
    return matrix;
  };
  with_each_upload_failing([&](Engine& engine, std::uint64_t seed) {
    General<double> matrix = factorised(seed);
    LapackOutcome did = run(engine, matrix.problem(LapackRoutine::getri), MatrixHome::copied);
    EXPECT_LT(inverse_error(matrix.factors, matrix.a), most_error);
    return did;
  });
  with_each_upload_failing([&](Engine& engine, std::uint64_t seed) {
    General<double> matrix = factorised(seed);
    Columns<double> b(70, 70);
    b.randomise(seed + 1);
    Columns<double> x = b;
    LapackProblem p = matrix.problem(LapackRoutine::getrs);
    with_right_sides(p, x);
    LapackOutcome did = run(engine, p, MatrixHome::copied);
    EXPECT_LT(residual(matrix.a, x, b), most_error);
    return did;
  });
}

// The device has the factors that it made: the matrix goes there once.
TEST_F(CallsOfLapack, SendTheMatrixOfASolverOnce) {
  constexpr std::int64_t n = 320, sides = 70;
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  Columns<double> b(sides, n);
  b.randomise(8);
  const auto bytes_of = [&](LapackProblem p) {
    Columns<double> x = b;
    if (p.routine != LapackRoutine::potrf && p.routine != LapackRoutine::getrf)
      with_right_sides(p, x);
    layer.reset();
    const LapackOutcome did = run(engine, p, MatrixHome::copied);
    EXPECT_TRUE(did.outcome.used_gpu);
    EXPECT_FALSE(did.outcome.recovered);
    return layer.bytes_copied();
  };
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    Definite<double> matrix(n, uplo, 2, 7);
    const long factors = bytes_of(matrix.problem(LapackRoutine::potrf));
    const long solve = bytes_of(matrix.problem(LapackRoutine::potrs));
    matrix.store();
    const long both = bytes_of(matrix.problem(LapackRoutine::posv));
    EXPECT_LT(both, factors + solve - n * n / 2 * 8 * 3 / 4) << "of a triangle";
  }
  General<double> matrix(n, n, 2, 7);
  const long factors = bytes_of(matrix.problem());
  const long solve = bytes_of(matrix.problem(LapackRoutine::getrs));
  matrix.restore();
  const long both = bytes_of(matrix.problem(LapackRoutine::gesv));
  EXPECT_LT(both, factors + solve - n * n * 8 * 3 / 4);
}

}  // namespace
}  // namespace duoblas::test
