// What each OpenCL error means for the next call.
#include "opencl/status_class.hpp"

#include <gtest/gtest.h>

namespace duoblas::cl {
namespace {

// By number: what drivers return, whatever our headers call it.
TEST(StatusClass, ARefusedLaunchIsTheKernels) {
  for (const int code : {-52, -53, -54, -55}) {
    EXPECT_EQ(status_class(code), StatusClass::launch_refused) << code;
    EXPECT_FALSE(may_build_later(code)) << code;
  }
}

TEST(StatusClass, ShortMemoryPasses) {
  for (const int code : {-4, -5, -6, -12}) {
    EXPECT_EQ(status_class(code), StatusClass::passing_shortage) << code;
    EXPECT_TRUE(may_build_later(code)) << code;
  }
}

TEST(StatusClass, AProgramThatDoesNotCompileNeverWill) {
  for (const int code : {-3, -11, -15, -17, -43}) {
    EXPECT_EQ(status_class(code), StatusClass::build_failed) << code;
    EXPECT_FALSE(may_build_later(code)) << code;
  }
}

TEST(StatusClass, AMatrixThatIsTooLargeIsThisCallsAffair) {
  for (const int code : {-61, -63}) EXPECT_EQ(status_class(code), StatusClass::too_large) << code;
}

TEST(StatusClass, AFailedCommandAndWhatNobodyKnowsAreALostDevices) {
  for (const int code : {-2, -14, -33, -34, -36, -9999, -1234, 7})
    EXPECT_EQ(status_class(code), StatusClass::device_lost) << code;
  EXPECT_EQ(status_class(0), StatusClass::declined);
}

// A lost context answers every later wait with CL_OUT_OF_RESOURCES, but so does short memory once.
TEST(StatusClass, OnlyOutOfResourcesMeansMoreWhereItIsRepeated) {
  EXPECT_TRUE(means_lost_if_repeated(-5));
  for (const int code : {-4, -6, -54, -11}) EXPECT_FALSE(means_lost_if_repeated(code)) << code;
}

TEST(StatusClass, SaysWhereABufferFindsNoMemory) {
  for (const int code : {-4, -61}) EXPECT_TRUE(says_memory_is_short(code)) << code;
  for (const int code : {0, -5, -6, -54, -9999}) EXPECT_FALSE(says_memory_is_short(code)) << code;
}

}  // namespace
}  // namespace duoblas::cl
