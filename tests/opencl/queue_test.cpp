// Commands of a queue on a device: order, copies, maps, times, errors.
#include <gtest/gtest.h>
#include <duoblas/error.hpp>

#include <numeric>

#include "opencl/handles.hpp"
#include "support/first_device.hpp"

namespace duoblas::cl {
namespace {

using test::first_device;

constexpr std::string_view source = R"(
__kernel void add(__global int* values, int by) {
  values[get_global_id(1) * get_global_size(0) + get_global_id(0)] += by;
}
)";

struct QueueTest : testing::Test {
  Context context{first_device()};
  Queue queue{context};
  Program program = build_from_source(context, source, "");
  Kernel add = program.kernel("add");
};

TEST_F(QueueTest, RunsKernelsInTheOrderOfTheirEnqueueing) {
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  const Buffer buffer = context.allocate(values.size() * sizeof(int), Access::read_write);
  const std::size_t bytes = values.size() * sizeof(int);
  queue.write(buffer, values.data(), {1, bytes, bytes, bytes, 0}, true);
  add.set_argument(0, buffer);
  add.set_argument(1, 100);
  const Event first = queue.enqueue(add, {{8, 8}, {1, 1}});
  add.set_argument(1, 1000);
  queue.wait(queue.submit(add, {{16, 4}, {4, 2}}));
  queue.check_ended(first);
  std::vector<int> result(64);
  queue.read(buffer, result.data(), {1, bytes, bytes, bytes, 0});
  for (int i = 0; i < 64; ++i) EXPECT_EQ(result[static_cast<std::size_t>(i)], i + 1100);
}

TEST_F(QueueTest, CopiesRectanglesBetweenAnyPitchesAndOffsets) {
  constexpr std::size_t rows = 5, width = 7, host_pitch = 11, device_pitch = 9;
  for (const std::size_t offset : {std::size_t{0}, std::size_t{4}, std::size_t{23}}) {
    std::vector<unsigned char> host(rows * host_pitch);
    std::iota(host.begin(), host.end(), static_cast<unsigned char>(1));
    const std::size_t size = offset + rows * device_pitch + device_pitch;
    const Buffer buffer = context.allocate(size, Access::read_write);
    const std::vector<unsigned char> zeros(size);
    queue.write(buffer, zeros.data(), {1, size, size, size, 0}, true);
    const RectCopy copy{rows, width, host_pitch, device_pitch, offset};
    queue.write(buffer, host.data(), copy, true);

    std::vector<unsigned char> device(size);
    queue.read(buffer, device.data(), {1, size, size, size, 0});
    std::vector<unsigned char> back(host.size());
    queue.read(buffer, back.data(), copy);
    for (std::size_t at = 0; at < size; ++at) {
      const std::size_t row = at < offset ? rows : (at - offset) / device_pitch;
      const std::size_t column = at < offset ? 0 : (at - offset) % device_pitch;
      const bool inside = row < rows && column < width;
      EXPECT_EQ(device[at], inside ? host[row * host_pitch + column] : 0) << at;
    }
    for (std::size_t at = 0; at < back.size(); ++at) {
      EXPECT_EQ(back[at], at % host_pitch < width ? host[at] : 0) << at;
    }
  }
}

TEST_F(QueueTest, MapsAWrappedBufferOntoItsHostMemory) {
  std::vector<int> values(1024, 1);
  const Buffer buffer = context.wrap(values.data(), 4096, Access::read_write);
  add.set_argument(0, buffer);
  add.set_argument(1, 5);
  queue.wait(queue.submit(add, {{1024, 1}, {1, 1}}));
  void* mapped = queue.map(buffer, Access::read_write, 4096);
  EXPECT_EQ(mapped, values.data());
  queue.unmap(buffer, mapped);
  queue.finish();
  EXPECT_EQ(values.front(), 6);
  EXPECT_EQ(values.back(), 6);
}

TEST_F(QueueTest, MeasuresKernelsWhereProfilingWasAskedFor) {
  Queue profiling(context, true);
  const Buffer buffer = context.allocate(4096, Access::read_write);
  add.set_argument(0, buffer);
  add.set_argument(1, 1);
  const Event event = profiling.submit(add, {{1024, 1}, {1, 1}});
  profiling.wait(event);
  const auto seconds = seconds_if_profiled(event);
  ASSERT_TRUE(seconds);
  EXPECT_GT(*seconds, 0);
  EXPECT_LT(*seconds, 10);
}

TEST_F(QueueTest, MeasuresFromTheEndOfOneKernelToTheEndOfALaterOne) {
  Queue profiling(context, true);
  const Buffer buffer = context.allocate(std::size_t{1} << 16, Access::read_write);
  add.set_argument(0, buffer);
  add.set_argument(1, 1);
  const Event first = profiling.submit(add, {{1024, 1}, {1, 1}});
  const Event second = profiling.submit(add, {{4096, 1}, {1, 1}});
  const Event third = profiling.submit(add, {{4096, 1}, {1, 1}});
  profiling.wait(third);
  const auto of_second = seconds_if_profiled(second);
  ASSERT_TRUE(of_second);
  EXPECT_GE(seconds_between_ends(first, second), *of_second);
  EXPECT_NEAR(seconds_between_ends(first, second) + seconds_between_ends(second, third),
              seconds_between_ends(first, third), 1e-12);
  EXPECT_EQ(seconds_between_ends(third, third), 0);
}

TEST_F(QueueTest, NamesTheCallThatFailed) {
  try {
    queue.submit(add, {{7, 1}, {2, 1}});  // arguments are not set
    FAIL() << "it was launched";
  } catch (const DeviceError& error) {
    EXPECT_EQ(std::string(error.what()).find("clEnqueueNDRangeKernel failed: CL_INVALID_"), 0u)
        << error.what();
  }
}

TEST_F(QueueTest, RefusesABufferThatNoDeviceHasRoomFor) {
  EXPECT_THROW(context.allocate(std::size_t{1} << 60, Access::read_write), DeviceError);
}

TEST(Handles, MoveTheirObjectAndEndUpEmpty) {
  const Context context(first_device());
  Buffer first = context.allocate(16, Access::read_write);
  void* raw = first.raw();
  Buffer second = std::move(first);
  EXPECT_EQ(second.raw(), raw);
  EXPECT_FALSE(first);
  second = context.allocate(16, Access::read_write);
  EXPECT_TRUE(second);
  second.reset();
  EXPECT_FALSE(second);
}

TEST(Devices, AreListedWithWhatTheKernelsNeedToKnow) {
  const auto devices = list_devices();
  ASSERT_FALSE(devices.empty());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceInfo& info = devices[i].info;
    EXPECT_EQ(info.index, static_cast<int>(i));
    EXPECT_FALSE(info.name.empty());
    EXPECT_FALSE(info.driver_version.empty());
    EXPECT_TRUE(info.is_gpu || info.is_cpu);
    EXPECT_GT(info.compute_units, 0);
    EXPECT_GT(info.max_allocation_bytes, 1u << 20);
    EXPECT_GE(info.native_vector_bytes, 4);
  }
}

}  // namespace
}  // namespace duoblas::cl
