// Level-3 jobs of matrices in registered memory: what is copied, and what the host copies of it.
#include <gtest/gtest.h>

#include "cl_layer/layer_control.hpp"
#include "engine/engine.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/level3/level3_job.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "level3/blocked_level3.hpp"
#include "support/level3_case.hpp"
#include "support/registered_matrices.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

struct RegisteredLevel3 : testing::TestWithParam<Routine> {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }

  static Level3Factors factors(Side side, Uplo uplo, double beta) {
    Level3Factors f{GetParam(), Layout::row_major, side, uplo};
    f.order = 83;
    f.free = 41;
    f.pad = 2;
    f.alpha = 0.75;
    f.beta = beta;
    return f;
  }

  template <typename Body>
  static void for_all_factors(Body&& body) {
    for (const Side side : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper})
        for (const double beta : {0.0, -0.5})
          if (!updates_triangle(GetParam()) || side == Side::left) body(factors(side, uplo, beta));
  }
};

INSTANTIATE_TEST_SUITE_P(Routines, RegisteredLevel3, ::testing::ValuesIn(all_routines),
                         [](const auto& routine) { return std::string(name(routine.param)); });

TEST_P(RegisteredLevel3, AreFetchedByTheDeviceAndTheirResultsWrittenByIt) {
  using T = std::complex<float>;
  constexpr BlockSizes sizes{24, 8, 41 * 2 * sizeof(T)};
  GpuSide side(cl::list_devices().at(0), GpuFolders{});
  const KernelParams kernel = default_kernel(Precision::c, side.limits());
  for_all_factors([&](const Level3Factors& f) {
    expect_right<T>(f, [&](const CallerLevel3& call) {
      const Level3Problem p = to_row_major(call);
      const RegisteredMatrices registered(p);
      layer.reset();
      Level3Job job = start_level3(side.device(), p, kernel, sizes, {{}, {}, true});
      job.wait();
      EXPECT_EQ(job.progress().lines, order(p));
      // The blocks that the host makes of diagonals go through its own page-locked memory.
      EXPECT_GT(layer.calls_of("clEnqueueWriteBufferRect"), 0);
      if (!updates_triangle(p.routine) && !reads_c(p)) {
        EXPECT_EQ(job.times().result_copies, 0);
        EXPECT_EQ(layer.calls_of("clEnqueueReadBuffer"), 0);
        EXPECT_GT(layer.calls_of("clEnqueueReadBufferRect"), 0);
      }
    });
  });
}

// The engine finds out by itself, where products are of copies.
TEST_P(RegisteredLevel3, AreFoundByTheEngine) {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::hybrid;
  settings.split = Share{12, 16};
  settings.profile_dir.clear();
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(staged_profile(engine));
  for_all_factors([&](const Level3Factors& f) {
    for (const bool is_registered : {false, true})
      expect_right<std::complex<double>>(f, [&](const CallerLevel3& call) {
        const Level3Problem p = to_row_major(call);
        std::optional<RegisteredMatrices> registered;
        if (is_registered) registered.emplace(p);
        const Outcome did = run_level3(engine, p);
        EXPECT_FALSE(did.recovered);
        EXPECT_EQ(did.plan.sharing, is_registered ? SharingMode::pinned : SharingMode::staged);
      });
  });
}

}  // namespace
}  // namespace duoblas::test
