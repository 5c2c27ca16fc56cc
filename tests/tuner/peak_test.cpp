// What a machine can do at most: that it is counted right, not how fast it is.
#include <gtest/gtest.h>

#include <vector>

#include "cpu/cpu_limits.hpp"
#include "gpu/device/device_limits_of.hpp"
#include "gpu/kernels/kernel_source.hpp"
#include "opencl/handles.hpp"
#include "tuner/cpu_peak.hpp"
#include "tuner/device_peak.hpp"
#include "tuner/machine_peak.hpp"

namespace duoblas {
namespace {

// A chain from 0 on is 1 - 2^-n after n steps of x / 2 + 1 / 2, in every lane: no step is left out
// by the compiler.
template <typename R>
void expect_all_steps(const std::string& number, int width, int chains, bool fused) {
  const cl::Context context(cl::list_devices().at(0));
  cl::Queue queue(context);
  const cl::Program program = cl::build_from_source(
      context, peak_source("", MatrixUnit::none),
      "-cl-std=CL1.2 -DNUMBER=" + number + " -DVECTOR=" + number +
          (width > 1 ? std::to_string(width) : "") + " -DCHAINS=" + std::to_string(chains) +
          " -DMATRIX=0 -DMULTIPLY_ADD=" + (fused ? "0" : "1") +
          " -DDOUBLES=" + (sizeof(R) == 8 ? "1" : "0"));
  cl::Kernel kernel = program.kernel("peak");
  constexpr std::size_t items = 3;
  std::vector<R> numbers(items * static_cast<std::size_t>(width * chains), 0);
  const std::size_t bytes = numbers.size() * sizeof(R);
  const cl::Buffer buffer = context.allocate(bytes, cl::Access::read_write);
  queue.write(buffer, numbers.data(), {1, bytes, bytes, bytes, 0}, true);
  kernel.set_argument(0, buffer);
  kernel.set_argument(1, 1);
  kernel.set_argument(2, R(0.5));
  kernel.set_argument(3, R(0.5));
  queue.wait(queue.submit(kernel, {{items, 1}, {1, 1}}));
  queue.read(buffer, numbers.data(), {1, bytes, bytes, bytes, 0});
  for (const R x : numbers) EXPECT_EQ(x, R(1) - R(1) / 65536);
}

TEST(DevicePeak, CountsStepsThatAreAllDone) {
  expect_all_steps<float>("float", 1, 4, true);
  expect_all_steps<float>("float", 8, 12, false);
  expect_all_steps<double>("double", 4, 8, true);
}

TEST(DevicePeak, IsNothingWithoutDoublePrecisionOrWithoutItsSource) {
  cl::Device device = cl::list_devices().at(0);
  const DeviceLimits limits = device_limits(device.info, 0);
  EXPECT_FALSE(device_peak(device, limits, Precision::s, "/nowhere"));
  device.info.has_fp64 = false;
  EXPECT_FALSE(device_peak(device, limits, Precision::z, ""));
  const auto single = device_peak(device, limits, Precision::c, "");
  ASSERT_TRUE(single);
  EXPECT_GT(single->gflops, 0);
  EXPECT_NE(single->how.find(" chains of "), std::string::npos) << single->how;
}

TEST(DevicePeak, IsOfBytesToo) {
  const cl::Device device = cl::list_devices().at(0);
  const DeviceLimits limits = device_limits(device.info, 0);
  EXPECT_FALSE(device_byte_peak(device, limits, "/nowhere"));
  const auto bytes = device_byte_peak(device, limits, "");
  ASSERT_TRUE(bytes);
  EXPECT_GT(bytes->gflops, 0);
  EXPECT_NE(bytes->how.find(" chains of "), std::string::npos) << bytes->how;
}

TEST(CpuPeak, IsOfAsManyThreadsAsAreGiven) {
  const std::vector<int> cores = allowed_cores();
  EXPECT_GT(cpu_peak(Precision::d, cores, 1), 0);
  EXPECT_GT(cpu_peak(Precision::s, {cores.front()}, 1), 0);
  EXPECT_GT(cpu_peak(Precision::s, cores, static_cast<int>(cores.size()) + 1), 0);
}

TEST(MachinePeak, IsOfTheSidesThatAStrategyUses) {
  const std::vector<MachinePeak> peaks = {{Precision::s, 100, "", 10, 20},
                                          {Precision::d, 0, "", 5, 5}};
  ComparisonRow row;
  row.seconds = 1;
  const auto peak = [&](const char* strategy, const char* kernel, int parts, Precision precision) {
    row.strategy = strategy;
    row.kernel = kernel;
    row.gpu_parts = parts;
    row.precision = precision;
    return peak_for(peaks, row);
  };
  EXPECT_EQ(peak("cpu", "", 0, Precision::s), 10);
  EXPECT_EQ(peak("cpu_all", "", 0, Precision::c), 20);
  EXPECT_EQ(peak("auto", "", 0, Precision::s), 20);
  EXPECT_EQ(peak("gpu", "kernel", 16, Precision::s), 100);
  EXPECT_EQ(peak("hybrid", "kernel", 8, Precision::c), 110);
  EXPECT_EQ(peak("hybrid", "kernel", 8, Precision::z), 0) << "half of it is not known";
  EXPECT_EQ(peak("gpu", "kernel", 16, Precision::d), 0);
  row.recovered = true;
  EXPECT_EQ(peak("gpu", "kernel", 16, Precision::s), 0) << "the CPU did that";
  EXPECT_EQ(peak_for({}, row), 0);
}

}  // namespace
}  // namespace duoblas
