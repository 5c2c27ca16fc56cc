// What one tuning case gives the next to begin with.
#include "tuner/transfer.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/tiled_points.hpp"

namespace duoblas {
namespace {

Learnt learnt_at(Precision precision, const Shape& shape, SharingMode sharing) {
  Learnt learnt;
  learnt.tuning_case.precision = precision;
  learnt.shape = shape;
  learnt.sharing = sharing;
  return learnt;
}

TEST(SeededSharing, IsThatOfTheNearestSubjectOfTheSameType) {
  const std::vector<Learnt> learnt = {
      learnt_at(Precision::s, {1024, 1024, 1024}, SharingMode::staged),
      learnt_at(Precision::s, {64, 64, 64}, SharingMode::host_pointer),
      learnt_at(Precision::d, {4096, 4096, 4096}, SharingMode::host_pointer)};
  KernelCase floats;
  floats.precision = Precision::s;
  EXPECT_EQ(seeded_sharing(floats, {4096, 4096, 4096}, learnt, SharingMode::host_pointer),
            SharingMode::staged);
  EXPECT_EQ(seeded_sharing(floats, {100, 100, 100}, learnt, SharingMode::staged),
            SharingMode::host_pointer);
}

TEST(SeededSharing, IsTheDevicesOwnWhereNothingWasLearntOfTheType) {
  const std::vector<Learnt> learnt = {learnt_at(Precision::d, {64, 64, 64}, SharingMode::staged)};
  KernelCase floats;
  floats.precision = Precision::s;
  for (const SharingMode own : {SharingMode::host_pointer, SharingMode::staged})
    EXPECT_EQ(seeded_sharing(floats, {64, 64, 64}, learnt, own), own);
}

DeviceLimits large_gpu() {
  DeviceLimits limits;
  limits.max_work_group_size = 1024;
  limits.local_memory_bytes = 48 * 1024;
  limits.compute_units = 100;
  return limits;
}

// A search whose time ends after two kernels has tried these.
TEST(SeededKernels, BeginWithTheDevicesDefaultWhereOnlyOtherTypesWereLearnt) {
  const DeviceLimits limits = large_gpu();
  Learnt floats = learnt_at(Precision::s, {64, 64, 64}, SharingMode::staged);
  floats.kernels = {least_tiled()};
  KernelCase doubles;
  doubles.precision = Precision::d;
  const auto kernels = seeded_kernels(doubles, {64, 64, 64}, limits, {floats}, 2);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0], default_kernel(Precision::d, limits));
  EXPECT_EQ(kernels[1], for_precision(least_tiled(), Precision::s, Precision::d));
}

TEST(SeededKernels, AreWhatWasBestNearbyThenTheDevicesDefault) {
  const DeviceLimits limits = large_gpu();
  KernelParams second = least_tiled();
  second.k_unroll = 4;
  Learnt near = learnt_at(Precision::s, {64, 64, 64}, SharingMode::staged);
  near.kernels = {least_tiled(), second};
  KernelCase floats;
  floats.precision = Precision::s;
  const auto kernels = seeded_kernels(floats, {128, 128, 128}, limits, {near}, 3);
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0], least_tiled());
  EXPECT_EQ(kernels[1], default_kernel(Precision::s, limits));
  EXPECT_EQ(kernels[2], second);
}

// A vector has as many bytes then, along both sides.
TEST(KernelForAnotherType, HasVectorsOfAsManyBytes) {
  KernelParams floats;
  floats.family = KernelFamily::tiled;
  floats.vector_width = 4;
  EXPECT_EQ(for_precision(floats, Precision::s, Precision::d).vector_width_m, 0);
  floats.vector_width_m = 2;
  const KernelParams doubles = for_precision(floats, Precision::s, Precision::d);
  EXPECT_EQ(doubles.vector_width, 2);
  EXPECT_EQ(doubles.vector_width_m, 1);
  EXPECT_EQ(for_precision(floats, Precision::s, Precision::z).vector_width_m, 1);
}

}  // namespace
}  // namespace duoblas
