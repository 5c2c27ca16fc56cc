// Each OpenCL call of a level-3 job fails in turn: what is done is done, and what is not has its
// old values.
#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <cstdlib>
#include <optional>
#include <string>

#include "cl_layer/layer_control.hpp"
#include "engine/engine.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/level3/level3_job.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "level3/blocked_level3.hpp"
#include "level3/device_parts.hpp"
#include "support/plain_level3.hpp"
#include "support/registered_matrices.hpp"

namespace duoblas::test {
namespace {

// Of one of the three blocks of trmm's B.
constexpr std::size_t saved_bytes = 16 * 9 * sizeof(double);

struct FailingLevel3 : testing::TestWithParam<Routine> {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }
};

INSTANTIATE_TEST_SUITE_P(Routines, FailingLevel3,
                         ::testing::Values(Routine::symm, Routine::syrk, Routine::syr2k,
                                           Routine::trmm, Routine::trsm),
                         [](const auto& routine) { return std::string(name(routine.param)); });

// As the CPU steps in.
void complete(const Level3Problem& p, const Level3Progress& done) {
  for (const Step& step : rest_of(p, done)) plain_step<double>(step);
}

// Each call fails in turn, of one of every kind of call. `beta` 0: all matrices are registered.
void expect_a_rest_that_completes(const LayerControl& layer, Routine routine,
                                  MatricesInPlace in_place, double beta = -0.5,
                                  std::size_t saved_bytes = 0) {
  const BlockSizes sizes{16, 8, 16 * sizeof(double) * 4, 0, saved_bytes};
  std::optional<GpuSide> side(std::in_place, cl::list_devices().at(0), GpuFolders{});
  const KernelParams kernel = default_kernel(Precision::d, side->limits());
  int failed = 0, in_parts = 0;
  for (const Side where : {Side::left, Side::right})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      Level3Factors f{routine, Layout::row_major, where, uplo};
      if (updates_triangle(f.routine) && where == Side::right) continue;
      f.order = 45;
      f.free = 9;
      f.alpha = 0.75;
      f.beta = beta;
      bool fired = true;
      for (int number = 0; fired; number += beta == 0 && number > 1 ? 3 : 1) {
        ASSERT_LT(number, 600) << "no end of calls";
        SCOPED_TRACE(number);
        expect_right<double>(f, [&](const CallerLevel3& call) {
          const Level3Problem p = to_row_major(call);
          std::optional<RegisteredMatrices> registered;
          if (beta == 0) registered.emplace(p);
          // The first one of a shape makes what later ones have.
          if (number > 0) layer.fail(("*:" + std::to_string(number)).c_str());
          Level3Progress done;
          try {
            Level3Job job =
                start_level3(side->device(), p, kernel, sizes, {in_place, {}, beta == 0});
            try {
              job.wait();
            } catch (const DeviceError& error) {
              EXPECT_STRNE(error.what(), "");
            }
            done = job.progress();
          } catch (const DeviceError&) {
            // Nothing was started.
          }
          fired = number == 0 || layer.fired() != 0;
          layer.reset();
          failed += done.lines < order(p);
          in_parts += done.lines > 0 && done.lines < order(p);
          complete(p, done);
        });
      }
    }
  EXPECT_GT(failed, 30);
  EXPECT_GT(in_parts, 0) << "some results were there before the failure";
  side.reset();
  EXPECT_EQ(layer.live_objects(), 0);
}

TEST_P(FailingLevel3, LeavesARestThatTheCpuCompletesAndAUsableSide) {
  expect_a_rest_that_completes(layer, GetParam(), {});
}

// Results of some lines come back before others need what they overwrite.
TEST_P(FailingLevel3, LeavesARestWhereSomeResultsOfTrmmComeBackEarlyToo) {
  if (GetParam() != Routine::trmm) return;
  expect_a_rest_that_completes(layer, GetParam(), {}, -0.5, saved_bytes);
}

// Fetched by the device, and where nothing of C is read written by it.
TEST_P(FailingLevel3, LeavesARestOfRegisteredMatricesToo) {
  expect_a_rest_that_completes(layer, GetParam(), {}, 0);
}

TEST_P(FailingLevel3, LeavesARestOfMatricesInPlaceToo) {
  expect_a_rest_that_completes(layer, GetParam(), {true, true, true});
}

// As beside a CPU that has other columns of C.
TEST_P(FailingLevel3, LeavesARestWhereOnlyOperandsAreInPlaceToo) {
  if (updates_triangle(GetParam())) return;
  expect_a_rest_that_completes(layer, GetParam(), {true, true, false});
}

// Launched without an error, and found out afterwards: whatever follows on the device.
TEST_P(FailingLevel3, LeavesARestWhereAKernelFailsAsWell) {
  constexpr BlockSizes sizes{16, 8, 16 * sizeof(double) * 4, 0, saved_bytes};
  GpuSide side(cl::list_devices().at(0), GpuFolders{});
  KernelParams kernel = default_kernel(Precision::d, side.limits());
  kernel.pack_a = kernel.pack_b = true;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const char* name : {"gemm", "pack_a", "pack_b"})
      for (const long launch : {1, 2, 4, 6, -2, -6}) {
        const bool in_place = launch < 0;
        SCOPED_TRACE(std::string(name) + " " + std::to_string(launch));
        Level3Factors f{GetParam(), Layout::row_major, Side::left, uplo};
        f.order = 45;
        f.free = 9;
        f.beta = -0.5;
        expect_right<double>(f, [&](const CallerLevel3& call) {
          const Level3Problem p = to_row_major(call);
          constexpr int out_of_resources = -5;
          layer.fail_kernel(name, std::abs(launch), out_of_resources);
          Level3Job job =
              start_level3(side.device(), p, kernel, sizes, {{in_place, in_place, in_place}, {}});
          bool failed = false;
          try {
            job.wait();
          } catch (const DeviceError&) {
            failed = true;
          }
          // How often operands are packed depends on the kernel that suits this machine.
          EXPECT_EQ(failed, layer.has_failed_kernel() != 0);
          EXPECT_TRUE(failed || launch != 1) << "each kernel has a launch";
          layer.reset();
          complete(p, job.progress());
        });
      }
}

// Without it the device has no inverses to multiply by, and its numbers say nothing.
TEST_P(FailingLevel3, LeavesAllToTheCpuWhereTheKernelOfLeavesFails) {
  if (GetParam() != Routine::trsm) return;
  GpuSide side(cl::list_devices().at(0), GpuFolders{});
  const KernelParams kernel = default_kernel(Precision::d, side.limits());
  for (const Side where : {Side::left, Side::right}) {
    Level3Factors f{GetParam(), Layout::row_major, where, Uplo::lower};
    f.order = 45;
    f.free = 9;
    for (const bool fails : {false, true, false})
      expect_right<double>(f, [&](const CallerLevel3& call) {
        const Level3Problem p = to_row_major(call);
        constexpr int out_of_resources = -5;
        if (fails) layer.fail_kernel("leaf_inverse", 1, out_of_resources);
        Level3Job job = start_level3(side.device(), p, kernel, {16, 8});
        bool failed = false;
        try {
          job.wait();
        } catch (const DeviceError&) {
          failed = true;
        }
        layer.reset();
        EXPECT_EQ(failed, fails);
        EXPECT_EQ(job.progress().lines, fails ? 0 : order(p));
        complete(p, job.progress());
      });
  }
}

// Programs that do not compile cost nothing but the host's time.
TEST_P(FailingLevel3, GoesOnWithTheHostsInversesWithoutThatKernel) {
  if (GetParam() != Routine::trsm) return;
  GpuSide side(cl::list_devices().at(0), GpuFolders{});
  const KernelParams kernel = default_kernel(Precision::d, side.limits());
  Level3Factors f{GetParam(), Layout::row_major, Side::left, Uplo::lower};
  f.order = 45;
  f.free = 9;
  expect_right<double>(f, [&](const CallerLevel3& call) {
    layer.fail("clBuildProgram:1=-11");
    Level3Job job = start_level3(side.device(), to_row_major(call), kernel, {16, 8});
    EXPECT_GT(layer.fired(), 0);
    EXPECT_NO_THROW(job.wait());
    layer.reset();
  });
}

// What comes back is made of it then, with no error of its own.
TEST_P(FailingLevel3, LeavesARestWhereACopyToTheDeviceFails) {
  constexpr BlockSizes sizes{16, 8, 16 * sizeof(double) * 4, 0, saved_bytes};
  constexpr int short_of_memory = -4;
  GpuSide side(cl::list_devices().at(0), GpuFolders{});
  const KernelParams kernel = default_kernel(Precision::d, side.limits());
  int failed = 0;
  for (const Side where : {Side::left, Side::right})
    for (const bool registers : {false, true}) {
      Level3Factors f{GetParam(), Layout::row_major, where, Uplo::lower};
      if (updates_triangle(f.routine) && where == Side::right) continue;
      f.order = 45;
      f.free = 9;
      f.beta = registers ? 0 : -0.5;
      long uploads = 1;
      // In turns with others that leave their own elements on the device.
      for (long turn = 0; turn <= 2 * uploads; ++turn) {
        const long number = turn % 2 == 0 ? 0 : (turn + 1) / 2;
        SCOPED_TRACE(number);
        f.seed = number == 0 ? 1 : 5;
        expect_right<double>(f, [&](const CallerLevel3& call) {
          const Level3Problem p = to_row_major(call);
          std::optional<RegisteredMatrices> registered;
          if (registers) registered.emplace(p);
          layer.reset();
          if (number > 0) layer.fail_command("upload", number, short_of_memory);
          Level3Job job = start_level3(side.device(), p, kernel, sizes, {{}, {}, registers});
          try {
            job.wait();
          } catch (const DeviceError&) {
            ++failed;
          }
          layer.true_driver();
          if (number == 0)
            uploads =
                layer.calls_of("clEnqueueWriteBuffer") + layer.calls_of("clEnqueueWriteBufferRect");
          complete(p, job.progress());
        });
      }
    }
  EXPECT_GT(failed, 5);
}

TEST_P(FailingLevel3, IsTakenOverByTheCpuBlasWhoseOwnPartIsDoneOnce) {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::hybrid;
  settings.split = Share{12, 16};
  settings.check = CheckMode::off;
  settings.profile_dir.clear();
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  Level3Factors f{GetParam()};
  f.order = 90;
  f.free = 31;
  f.alpha = 0.75;
  f.beta = -0.5;
  // What is in place is not read and written.
  for (const char* what : {"", "clEnqueueReadBufferRect:1", "clEnqueueReadBuffer:1",
                           "clEnqueueWriteBufferRect:2", "clEnqueueNDRangeKernel:3"}) {
    SCOPED_TRACE(what);
    bool fired = false;
    Outcome did;
    expect_right<double>(f, [&](const CallerLevel3& call) {
      if (*what != 0) layer.fail(what);
      did = run_level3(engine, to_row_major(call));
      fired = *what != 0 && layer.fired() != 0;
      layer.reset();
    });
    EXPECT_EQ(did.recovered, fired);
    EXPECT_EQ(did.products, 1) << "it was one job";
  }
}

}  // namespace
}  // namespace duoblas::test
