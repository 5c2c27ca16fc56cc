// A driver that never comes back while it has a matrix that is factorised, in a process of its own.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>

#include "cl_layer/impatience.hpp"
#include "cl_layer/layer_control.hpp"
#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

constexpr unsigned watchdog_seconds = 100;

using Call = LapackOutcome (*)(Engine&);

LapackOutcome lu(Engine& engine) {
  General<double> matrix(90, 80, 2, 7);
  LapackOutcome did = run(engine, matrix.problem(), MatrixHome::copied);
  EXPECT_LT(matrix.error(), most_error);
  return did;
}

// The device writes to the matrix itself, and has two parts of the first step.
LapackOutcome lu_in_place(Engine& engine) {
  General<double> matrix(60, 120, 2, 7);
  LapackOutcome did = run(engine, matrix.problem(), MatrixHome::in_place);
  EXPECT_LT(matrix.error(), most_error);
  return did;
}

LapackOutcome cholesky(Engine& engine) {
  Definite<double> matrix(90, Uplo::lower, 2, 7);
  LapackOutcome did = run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::copied);
  EXPECT_EQ(did.info, 0);
  EXPECT_LT(matrix.error(), most_error);
  return did;
}

// Threads that copy beside the caller's wait for the device too, and all have to come back.
[[noreturn]] void hang_in(Call call) {
  ::alarm(watchdog_seconds);
  const LayerControl& layer = LayerControl::get();
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  static Engine engine(settings);
  EXPECT_TRUE(call(engine).outcome.used_gpu);
  lose_patience(engine);
  layer.hang(1);
  EXPECT_TRUE(call(engine).outcome.recovered) << "the CPU computes what a hung GPU does not";
  EXPECT_FALSE(call(engine).outcome.used_gpu) << "a hung GPU is not asked again";
  if (testing::Test::HasFailure()) std::_Exit(1);
  std::exit(0);
}

[[noreturn]] void hang_in_place() {
  ::alarm(watchdog_seconds);
  const LayerControl& layer = LayerControl::get();
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  static Engine engine(settings);
  EXPECT_TRUE(lu_in_place(engine).outcome.used_gpu);
  lose_patience(engine);
  layer.hang(1);
  // A device that copies has not written to the matrix.
  if (copies(engine.machine().sharing))
    EXPECT_TRUE(lu_in_place(engine).outcome.recovered);
  else
    EXPECT_THROW(lu_in_place(engine), DeviceError);
  EXPECT_FALSE(lu_in_place(engine).outcome.used_gpu) << "a hung GPU is not asked again";
  if (testing::Test::HasFailure()) std::_Exit(1);
  std::exit(0);
}

struct HungFactorisation : testing::Test {
  static void expect_done(Call call) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(hang_in(call), testing::ExitedWithCode(0),
                "duoblas: .*hangs.*computes on the CPU from now on");
  }
};

TEST_F(HungFactorisation, OfLuIsDoneByTheCpu) {
  expect_done(lu);
}

TEST_F(HungFactorisation, OfLuInPlaceIsAnErrorWhereTheDeviceSharesMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(hang_in_place(), testing::ExitedWithCode(0),
              "duoblas: .*hangs.*computes on the CPU from now on");
}

TEST_F(HungFactorisation, OfCholeskyIsDoneByTheCpu) {
  expect_done(cholesky);
}

}  // namespace
}  // namespace duoblas::test
