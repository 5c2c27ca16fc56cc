// A program's factorisation at its root: here, or the program's own library, by what both took.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <variant>
#include <vector>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "dropin/engine/lapack_program.hpp"
#include "engine/launches.hpp"
#include "support/lapack_case.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"

extern "C" const struct duoblas_dropin_engine* duoblas_dropin_engine(void);

namespace duoblas::test {
namespace {

// The process's own context finds the profile, and takes the CPU device since it is named.
class LapackCalls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const TemporaryDirectory profiles, cache;  // earlier runs' times are not to count
    ::setenv("DUOBLAS_PROFILE_DIR", profiles.path().c_str(), 1);
    ::setenv("DUOBLAS_CACHE_DIR", cache.path().c_str(), 1);
    ::setenv("DUOBLAS_DEVICE", "0", 1);
    ::setenv("DUOBLAS_CHECK", "off", 1);
    ::setenv("DUOBLAS_START_MS", "0", 1);
    Engine engine(Settings::from_environment());
    store_profile(profiles.path(), flattering_profile(engine));
  }

  static duoblas_blas_call call_of(General<double>& matrix, std::int64_t* pivots,
                                   std::int64_t* info) {
    duoblas_blas_call call = {};
    call.routine = DUOBLAS_GETRF;
    call.precision = 'd';
    call.layout = 102;
    call.m = call.n = n;
    call.a = matrix.factors.data();
    call.lda = matrix.factors.ld();
    call.pivots = pivots;
    call.info = info;
    call.wide = 1;
    return call;
  }

  static constexpr std::int64_t n = 600;
  Engine& engine = ContextEngine::of(Context::process_default());
  const struct duoblas_dropin_engine* dropin = ::duoblas_dropin_engine();
};

TEST_F(LapackCalls, AreOursWhereThatIsExpectedToGainAndTheProgramsOnceThatWasFaster) {
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  General<double> matrix(n, n, 3, 5);
  std::vector<std::int64_t> pivots(n);
  std::int64_t info = -7;
  duoblas_blas_call call = call_of(matrix, pivots.data(), &info);
  int reason = 0;
  // All kernels of products are there, and only the program that swaps rows has to be built.
  const std::vector<CallStep> steps = decide(engine, ProgramLapack(call)).steps;
  ASSERT_EQ(steps.size(), 1U);
  for (const auto& [product, plan] : products_of(std::get<DeviceFactorisation>(steps[0])))
    engine.readiness().build_here(Launches(product, plan));
  EXPECT_FALSE(engine.readiness().has(Launches(steps))) << "nobody has asked for it";
  // The device is opened, and that program is built, in the background.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  bool was_being_built = false, was_there = false;
  const auto is_done = [&] {
    was_there = engine.readiness().has(Launches(steps));
    return dropin->run(&call, &reason) == DUOBLAS_DONE;
  };
  while (!is_done()) {
    was_being_built |= static_cast<Reason>(reason) == Reason::kernels_building;
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << sentence(static_cast<Reason>(reason));
    EXPECT_EQ(info, -7) << "nothing was written";
    dropin->note_seconds(&call, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(info, 0);
  EXPECT_TRUE(was_being_built || was_there) << "it is not built in the call";
  std::copy(pivots.begin(), pivots.end(), matrix.pivots.begin());
  EXPECT_LT(matrix.error(), most_error);
  // What decides when later runs of the program start the device.
  const Gains gains = engine.learning().learner().gains();
  EXPECT_GT(gains.with_gpu, 0);
  EXPECT_GT(gains.won + gains.with_gpu, 0) << "what the program's library would have taken";
  EXPECT_GE(gains.worked, gains.with_gpu);

  for (int i = 0; i < 5; ++i) {
    engine.learning().ways().observe(class_of(lapack_problem(call)), Way::job, 1e-3);
    engine.learning().ways().observe(class_of(lapack_problem(call)), Way::plain, 1e-6);
  }
  matrix.restore();
  EXPECT_EQ(dropin->run(&call, &reason), DUOBLAS_TIMED) << "its time is wanted, too";
  EXPECT_EQ(static_cast<Reason>(reason), Reason::program_faster);
  dropin->note_seconds(&call, 1e-6);
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(matrix.factors.at(0, i), matrix.a.at(0, i));
}

TEST_F(LapackCalls, ThatAreSmallAreTheProgramsAtOnce) {
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  General<double> matrix(n, n, 0, 5);
  std::vector<std::int64_t> pivots(n);
  std::int64_t info = -7;
  duoblas_blas_call call = call_of(matrix, pivots.data(), &info);
  const double limit = dropin->smallest_flops[DUOBLAS_GETRF][precision_index(Precision::d)];
  EXPECT_GT(limit, flops(lapack_problem(call)) / 100);
  call.m = call.n = 64;
  EXPECT_LT(flops(lapack_problem(call)), limit) << "the shim does not even ask";
}

}  // namespace
}  // namespace duoblas::test
