// What one tuning case gives the next to begin with.
#include "tuner/transfer.hpp"

#include <vector>

#include <gtest/gtest.h>

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
