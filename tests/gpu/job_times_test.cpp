// When a job's kernels ended: seen by whoever waited for it, else told by the device.
#include <gtest/gtest.h>

#include "gpu/device/timestamp_trust.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "support/first_device.hpp"
#include "support/gemm_case.hpp"

#include "side_front.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

using test::Call;
using test::TestMatrix;

// Two jobs on the in-order queue; the first has ended when the second was waited for.
struct TwoJobs {
  GpuJobTimes first, second;
  double elapsed = 0;
};

TwoJobs run_two(GpuSide& side) {
  TestMatrix<float> a(96, 96), b(96, 96), c1(96, 96), c2(96, 96);
  a.randomise(1);
  b.randomise(2);
  const Call<float> call{Layout::row_major, Op::none, Op::none, 96, 96,  96, 1.0f,
                         a.data(),          96,       b.data(), 96, 0.0f};
  const KernelParams kernel = default_kernel(Precision::s, side.limits());
  const Stopwatch watch;
  GpuJob first = side.submit(test::problem_of(call, c1.data(), 96), kernel, side.best_sharing());
  GpuJob second = side.submit(test::problem_of(call, c2.data(), 96), kernel, side.best_sharing());
  second.wait();
  first.wait();
  const double elapsed = watch.seconds();
  return {first.times(), second.times(), elapsed};
}

TEST(JobTimes, SayWhenAJobEndedThatNobodyWasWaitingForWhereTheQueueKeepsTimestamps) {
  // A busy machine wakes the host up late now and then, and the device is not believed then.
  bool told = false;
  for (int round = 0; round < 50 && !told; ++round) {
    // A new one: after three such rounds a side would believe its device no more.
    GpuSide side(test::first_device(), {}, true);
    const TwoJobs jobs = run_two(side);
    told = !jobs.first.at_most;
    EXPECT_GT(jobs.first.kernels, 0);
    EXPECT_GE(jobs.first.whole, jobs.first.kernels);
    EXPECT_LE(jobs.first.whole, jobs.elapsed);
  }
  EXPECT_TRUE(told);
}

TEST(JobTimes, AreUpperBoundsOfAnUnwatchedJobWithoutTimestamps) {
  GpuSide side(test::first_device(), {});
  const TwoJobs jobs = run_two(side);
  EXPECT_TRUE(jobs.first.at_most);
  EXPECT_GE(jobs.first.kernels, jobs.second.kernels) << "the second job ended later";
  EXPECT_GE(jobs.first.whole, jobs.first.kernels);
  EXPECT_LE(jobs.first.whole, jobs.elapsed);
}

TEST(TimestampTrust, IsLostWhereTheDeviceIsWrongAgainAndAgain) {
  for (const EndOfKernels& wrong : {EndOfKernels{0, 1, false}, EndOfKernels{2, 1, false},
                                    EndOfKernels{0.5, 1, true}, EndOfKernels{2, 1, true}}) {
    TimestampTrust trust(true);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(trust.in_use());
      EXPECT_FALSE(trust.believes(wrong));
    }
    EXPECT_FALSE(trust.in_use());
    EXPECT_FALSE(trust.believes({0.5, 1, false})) << "no agreement";
  }
}

TEST(TimestampTrust, ComesBackWhereABusyHostWokeUpLate) {
  TimestampTrust trust(true);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(trust.believes({0.5, 1, true}));
  const auto agree = [&trust](int times) {
    for (int i = 0; i < times; ++i) {
      EXPECT_FALSE(trust.in_use());
      EXPECT_FALSE(trust.believes({0.99, 1, true}));
    }
  };
  agree(7);
  EXPECT_FALSE(trust.believes({0.5, 1, true}));
  agree(8);
  EXPECT_TRUE(trust.in_use());
  EXPECT_TRUE(trust.believes({0.2, 1, false}));
}

TEST(TimestampTrust, OutlastsAHostThatWokeUpLateNowAndThen) {
  TimestampTrust trust(true);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(trust.believes({0.5, 1, true}));
    EXPECT_TRUE(trust.believes({0.99, 1, true}));
    EXPECT_TRUE(trust.believes({0.2, 1, false})) << "it ended long before anyone looked";
  }
  EXPECT_TRUE(trust.in_use());
}

TEST(TimestampTrust, IsNotThereWithoutTimestamps) {
  EXPECT_FALSE(TimestampTrust(false).in_use());
  EXPECT_FALSE(TimestampTrust(false).is_available());
}

}  // namespace
}  // namespace duoblas
