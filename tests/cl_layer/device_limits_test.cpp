// Devices with less than others: the GPU is used for what it can do, and the rest is said.
#include <complex>

#include "cl_layer/played_driver.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_footprint.hpp"

namespace duoblas::test {
namespace {

using DeviceLimitsTest = PlayedDriver;

// As on Arm's Mali and AMD's under rusticl.
TEST_F(DeviceLimitsTest, LocalMemoryThatLiesInGlobalMemoryIsLimitedAllTheSame) {
  constexpr long bytes = 32 << 10;
  layer.device_number(CL_DEVICE_LOCAL_MEM_TYPE, CL_GLOBAL);
  layer.device_number(CL_DEVICE_LOCAL_MEM_SIZE, bytes);
  const GpuSide side(cl::list_devices().at(0), {});
  EXPECT_EQ(side.limits().local_memory_bytes, std::size_t{bytes});
  for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z})
    EXPECT_LE(local_bytes(default_kernel(precision, side.limits()), precision), bytes);
  Context context(both_sides());
  expect_gpu_used<float>(context);
  expect_gpu_used<std::complex<float>>(context);
}

struct SmallGroups : PlayedDriver, testing::WithParamInterface<long> {};

TEST_P(SmallGroups, AreAllThatIsLaunched) {
  layer.device_number(CL_DEVICE_MAX_WORK_GROUP_SIZE, GetParam());
  layer.refuse_groups_above(GetParam(), CL_INVALID_WORK_GROUP_SIZE);
  layer.tell_groups_of(GetParam());
  Context context(both_sides());
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose}) {
      expect_gpu_used<float>(context, op_a, op_b);
      expect_gpu_used<double>(context, op_a, op_b);
    }
  expect_gpu_used<std::complex<float>>(context);
  expect_gpu_used<std::complex<double>>(context);
}

INSTANTIATE_TEST_SUITE_P(WorkItems, SmallGroups, testing::Values(64, 256),
                         [](const auto& items) { return std::to_string(items.param); });

TEST_F(DeviceLimitsTest, WithoutDoublePrecisionFloatsAreTheGpusAndTheDecisionSaysWhy) {
  layer.device_number(CL_DEVICE_DOUBLE_FP_CONFIG, 0);
  Settings native = both_sides();
  native.fp64 = Fp64Mode::native;
  Context context(native);
  expect_gpu_used<float>(context);
  const long before = launched();
  EXPECT_EQ(multiply<double>(context).reason, "the device has no double precision");
  EXPECT_EQ(multiply<std::complex<double>>(context).reason, "the device has no double precision");
  EXPECT_EQ(launched(), before);
  expect_gpu_used<std::complex<float>>(context);
}

TEST_F(DeviceLimitsTest, WithoutDoublePrecisionDoublesAreTheGpusByIntegers) {
  layer.device_number(CL_DEVICE_DOUBLE_FP_CONFIG, 0);
  Context context(both_sides());
  expect_gpu_used<double>(context);
  expect_gpu_used<std::complex<double>>(context);
}

TEST_F(DeviceLimitsTest, OpenClOnePointTwoIsEnough) {
  constexpr unsigned svm_capabilities = 0x1053;
  layer.device_text(CL_DEVICE_VERSION, "OpenCL 1.2 played");
  layer.device_error(svm_capabilities, CL_INVALID_VALUE);
  layer.only_opencl_12();
  Context context(both_sides());
  expect_gpu_used<float>(context);
  expect_gpu_used<double>(context, Op::transpose, Op::none);
}

// Deprecated, of an extension, or of a later version: a driver may know none of them.
TEST_F(DeviceLimitsTest, QueriesThatNotEveryDriverKnowsMayFail) {
  constexpr unsigned optional_queries[] = {CL_DEVICE_HOST_UNIFIED_MEMORY,
                                           CL_DEVICE_IMAGE_SUPPORT,
                                           CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
                                           CL_DEVICE_EXTENSIONS,
                                           CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
                                           CL_DEVICE_LOCAL_MEM_TYPE,
                                           CL_DEVICE_LOCAL_MEM_SIZE,
                                           CL_DEVICE_DOUBLE_FP_CONFIG,
                                           CL_DEVICE_SINGLE_FP_CONFIG,
                                           CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                                           CL_DRIVER_VERSION,
                                           CL_DEVICE_MAX_COMPUTE_UNITS,
                                           CL_DEVICE_VENDOR};
  for (const unsigned query : optional_queries) layer.device_error(query, CL_INVALID_VALUE);
  Context context(both_sides());
  expect_gpu_used<float>(context);
  expect_gpu_used<double>(context);  // by integers
}

}  // namespace
}  // namespace duoblas::test
