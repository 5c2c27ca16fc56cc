// A driver that computes something else while it has a factorisation's matrix: the factors are
// right all the same, one line says what happened, and the next calls go product by product.
#include <string>

#include "cl_layer/played_driver.hpp"
#include "support/inverse_case.hpp"
#include "support/lapack_case.hpp"
#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

struct WrongFactorisations : PlayedDriver {
  static Settings checked(CheckMode mode) {
    Settings settings = both_sides();  // without a cache, which would remember what is found
    settings.check = mode;
    return settings;
  }
  void TearDown() override {
    layer.spoil(nullptr);
    PlayedDriver::TearDown();
  }

  static LapackOutcome lu(Engine& engine, std::uint64_t seed) {
    General<double> matrix(130, 120, 2, seed);
    LapackOutcome did = run(engine, matrix.problem(), MatrixHome::copied);
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_TRUE(matrix.factors.guards_untouched());
    return did;
  }
  static LapackOutcome cholesky(Engine& engine, std::uint64_t seed) {
    Definite<double> matrix(130, seed % 2 == 0 ? Uplo::lower : Uplo::upper, 2, seed);
    LapackOutcome did = run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::copied);
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
    return did;
  }

  static LapackOutcome inverse(Engine& engine, std::uint64_t seed) {
    General<double> matrix(130, 130, 2, seed);
    engine.cpu().run(matrix.problem(), engine.plans().cpu_alone(Precision::d, Reason::none).cpu);
    LapackOutcome did = run(engine, matrix.problem(LapackRoutine::getri), MatrixHome::copied);
    EXPECT_LT(inverse_error(matrix.factors, matrix.a), most_error);
    return did;
  }
  static LapackOutcome qr(Engine& engine, std::uint64_t seed) {
    Orthogonal<double> matrix(130, 120, 2, seed);
    LapackOutcome did = run(engine, matrix.problem(), MatrixHome::copied);
    EXPECT_LT(qr_error(matrix), most_error);
    EXPECT_TRUE(matrix.factors.guards_untouched());
    return did;
  }
  static LapackOutcome q_of_qr(Engine& engine, std::uint64_t seed) {
    Orthogonal<double> matrix = factorised<double>(engine, 130, 120, 2, seed);
    Columns<double> q(120, 130);
    for (std::int64_t j = 0; j < 120; ++j)
      for (std::int64_t i = 0; i < 130; ++i) q.at(j, i) = i == j ? 1 : 0;
    reflect(matrix, false, q);
    LapackProblem p = matrix.problem(LapackRoutine::orgqr);
    p.reflectors = 120;
    LapackOutcome did = run(engine, p, MatrixHome::copied);
    EXPECT_LT(difference(matrix.factors, q), most_error);
    return did;
  }

  void expect_done_again(LapackOutcome (*factorise)(Engine&, std::uint64_t),
                         const char* wrong = "of the product of its factors element (") {
    for (const char* fault : {"add d 3 3 3 1 1 0.01", "nan d 2 1 1 1 1"}) {
      SCOPED_TRACE(fault);
      Engine engine(checked(CheckMode::always));
      ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
      const LapackOutcome first = factorise(engine, 1);
      EXPECT_EQ(first.outcome.products, 1) << "the device had the matrix";
      EXPECT_FALSE(first.outcome.recovered);
      EXPECT_EQ(engine.checks().counts().checked, 1u);
      layer.spoil(fault);
      testing::internal::CaptureStderr();
      const LapackOutcome second = factorise(engine, 2);
      const std::string said = testing::internal::GetCapturedStderr();
      EXPECT_GT(layer.spoilt(), 0);
      EXPECT_TRUE(second.outcome.recovered);
      EXPECT_EQ(second.outcome.plan.reason, Reason::gpu_was_wrong);
      EXPECT_EQ(engine.checks().counts().wrong, 1u);
      EXPECT_NE(said.find(std::string("its result is wrong: ") + wrong), std::string::npos) << said;
      layer.spoil(nullptr);
      const LapackOutcome third = factorise(engine, 3);
      EXPECT_GT(third.outcome.products, 1) << "product by product";
      EXPECT_TRUE(third.outcome.used_gpu) << "products are still trusted";
    }
  }
};

TEST_F(WrongFactorisations, OfLuAreDoneAgainByTheCpu) {
  expect_done_again(lu);
}

TEST_F(WrongFactorisations, ThatAreInvertedAreInvertedAgainByTheCpu) {
  expect_done_again(inverse, "of the matrix's product with the solution element (");
}

TEST_F(WrongFactorisations, OfQrAreDoneAgainByTheCpu) {
  expect_done_again(qr);
}

TEST_F(WrongFactorisations, OfQAreDoneAgainByTheCpu) {
  expect_done_again(q_of_qr, "of the product with Q element (");
}

// A wrong update may well leave no positive definite matrix behind: the CPU is asked then, too.
TEST_F(WrongFactorisations, OfCholeskyAreDoneAgainByTheCpu) {
  for (const char* fault : {"add d 3 3 3 1 1 0.01", "add d 3 3 3 1 1 -1e6"}) {
    SCOPED_TRACE(fault);
    Engine engine(checked(CheckMode::always));
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    // Kernels of both triangles are tried before there is a fault that the trials would find.
    for (const std::uint64_t seed : {1, 2})
      EXPECT_EQ(cholesky(engine, seed).outcome.products, 1) << "the device had the matrix";
    layer.spoil(fault);
    for (std::uint64_t seed = 3; seed < 5; ++seed) cholesky(engine, seed);
    EXPECT_GT(layer.spoilt(), 0);
    layer.spoil(nullptr);
  }
}

// The sixth product is the second panel's update of the next block on the diagonal.
TEST_F(WrongFactorisations, ThatAreNotDefiniteAreAskedOfTheCpuWithoutAnyCheck) {
  Engine engine(checked(CheckMode::off));
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  for (const std::uint64_t seed : {1, 2})
    EXPECT_EQ(cholesky(engine, seed).outcome.products, 1) << "the device had the matrix";
  for (std::uint64_t seed = 3; seed < 5; ++seed) {
    layer.spoil("add d 6 3 3 1 1 -1e6");
    cholesky(engine, seed);
    EXPECT_EQ(layer.spoilt(), 1) << "nothing was asked of the device any more";
    layer.spoil(nullptr);
  }
}

TEST_F(WrongFactorisations, AreLookedForInTheFirstResultsOfAClass) {
  Engine engine(checked(CheckMode::sampled));
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  for (std::uint64_t seed = 0; seed < 4; ++seed) EXPECT_FALSE(lu(engine, seed).outcome.recovered);
  EXPECT_EQ(engine.checks().counts().checked, 4u);
  Engine careless(checked(CheckMode::off));
  EXPECT_EQ(lu(careless, 1).outcome.products, 1);
  EXPECT_EQ(careless.checks().counts().checked, 0u);
}

}  // namespace
}  // namespace duoblas::test
