// The text of errors of the device.
#include "opencl/device_error.hpp"

#include <gtest/gtest.h>
#include <duoblas/error.hpp>

namespace duoblas::cl {
namespace {

TEST(DeviceErrorText, NamesTheCallAndTheCodeAndSaysWhatToDo) {
  try {
    throw_failed("clEnqueueNDRangeKernel", -54, "kernel gemm");
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), -54);
    EXPECT_EQ(text.find("clEnqueueNDRangeKernel failed: CL_INVALID_WORK_GROUP_SIZE (-54); "), 0u);
    EXPECT_NE(text.find("tune again"), std::string::npos);
    EXPECT_NE(text.find("kernel gemm"), std::string::npos);
  }
}

TEST(DeviceErrorText, KnowsEveryCodeOfOpenCl12) {
  for (int code = -68; code <= 0; ++code) {
    if (code > -30 && code < -19) continue;  // OpenCL leaves these numbers free
    EXPECT_STRNE(error_name(code), "unknown OpenCL error") << code;
  }
  EXPECT_STREQ(error_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
  EXPECT_STREQ(error_name(-9999), "unknown OpenCL error");
}

TEST(DeviceErrorText, SuccessThrowsNothing) {
  EXPECT_NO_THROW(check("clFinish", 0));
}

}  // namespace
}  // namespace duoblas::cl
