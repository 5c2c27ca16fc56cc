// What drivers were found to do wrong, or to do as nobody else does, reduced to a few lines
// each. A driver that the table of quirks does not name for a fault must be right. Faults are
// printed, and so is a driver that the table names and that is right.
#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "opencl/driver_quirks.hpp"
#include "opencl/handles.hpp"
#include "support/driver_line.hpp"
#include "support/first_device.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas::cl {
namespace {

constexpr std::size_t items = 64, group = 16;

// `out` gets one number per work-item.
std::vector<int> numbers_of(std::string_view source, int argument) {
  const Context context{test::first_device()};
  Queue queue{context};
  const Program program = build_from_source(context, source, "-cl-std=CL1.2");
  Kernel kernel = program.kernel("fault");
  std::vector<int> numbers(items);
  const std::size_t bytes = items * sizeof(int);
  for (std::size_t i = 0; i < items; ++i) numbers[i] = static_cast<int>(i);
  const Buffer in = context.allocate(bytes, Access::read_write);
  const Buffer out = context.allocate(bytes, Access::read_write);
  queue.write(in, numbers.data(), {1, bytes, bytes, bytes, 0}, true);
  kernel.set_argument(0, in);
  kernel.set_argument(1, out);
  kernel.set_argument(2, argument);
  queue.wait(queue.submit(kernel, {{items, 1}, {group, 1}}));
  queue.read(out, numbers.data(), {1, bytes, bytes, bytes, 0});
  return numbers;
}

void expect_right_unless_known(bool right, bool known, const char* fault) {
  const DeviceInfo info = test::first_device().info;
  const std::string what = fault;
  if (!right) test::tell_of_driver(info, what + " is wrong");
  EXPECT_TRUE(right || known) << "a fault that no row of driver_quirks.cpp has: " << fault;
  if (right && known)
    test::tell_of_driver(info, what + " is right, but the table of quirks names it: mended?");
}

// Intel's CPU runtime 2026.2 takes the address for in[get_local_id(0)]. The number of a work-item
// is 64 bits wide; where it becomes an int before it is divided, all is well.
TEST(DriverFault, ADividedNumberOfAWorkItemIsNarrowed) {
  const auto numbers = numbers_of(
      "__kernel void fault(__global const int* in, __global int* out, int by) {"
      "  out[get_global_id(0)] = in[(int)(get_local_id(0) / 4)];"
      "}",
      0);
  bool right = true;
  for (std::size_t i = 0; i < items; ++i) right &= numbers[i] == static_cast<int>(i % group / 4);
  expect_right_unless_known(right, quirks_of(test::first_device().info).misreads_divided_ids,
                            "in[(int)(get_local_id(0) / 4)]");
}

// The way out of that, which our kernels take.
TEST(DriverFault, ANarrowedNumberOfAWorkItemIsDividedRightEverywhere) {
  const auto numbers = numbers_of(
      "__kernel void fault(__global const int* in, __global int* out, int by) {"
      "  const int item = get_local_id(0);"
      "  out[get_global_id(0)] = in[item / 4];"
      "}",
      0);
  for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(numbers[i], static_cast<int>(i % group / 4));
}

// llvmpipe of Mesa 22.3.6 leaves loops once a work-item has gone round 65,535 times, in all of
// them together.
TEST(DriverFault, LoopsAreLeftEarly) {
  constexpr int turns = 70000;
  const auto numbers = numbers_of(
      "__kernel void fault(__global const int* in, __global int* out, int turns) {"
      "  volatile __global int* count = out + get_global_id(0);"
      "  *count = 0;"
      "  for (int i = 0; i < turns; ++i) *count += 1;"
      "}",
      turns);
  bool right = true;
  for (const int number : numbers) right &= number == turns;
  expect_right_unless_known(right, quirks_of(test::first_device().info).ends_long_loops,
                            "a loop of 70,000 turns");
}

// llvmpipe of Mesa 22.3.6 says 32, and launches 256.
TEST(DriverFault, AGroupThatIsLargerThanTheDriverSaysIsLaunchedAllTheSame) {
  const Device device = test::first_device();
  const Context context{device};
  Queue queue{context};
  const Program program = build_from_source(
      context, "__kernel void fault(__global int* out) { out[get_global_id(0)] = 1; }",
      "-cl-std=CL1.2");
  Kernel kernel = program.kernel("fault");
  const std::size_t most = std::min<std::size_t>(256, device.info.max_work_group_size);
  const std::size_t bytes = most * sizeof(int);
  const Buffer out = context.allocate(bytes, Access::read_write);
  std::vector<int> numbers(most);
  queue.write(out, numbers.data(), {1, bytes, bytes, bytes, 0}, true);
  kernel.set_argument(0, out);
  bool right = true;
  if (kernel.largest_group(device) < most) {
    try {
      queue.wait(queue.submit(kernel, {{most, 1}, {most, 1}}));
      queue.read(out, numbers.data(), {1, bytes, bytes, bytes, 0});
      right = std::count(numbers.begin(), numbers.end(), 1) != static_cast<std::ptrdiff_t>(most);
    } catch (const DeviceError&) {  // as it said
    }
  }
  expect_right_unless_known(right, quirks_of(device.info).understates_groups,
                            "CL_KERNEL_WORK_GROUP_SIZE of a kernel that runs in groups of 256");
}

bool compiles(const char* number) {
  const std::string type = number;
  try {
    const Context context{test::first_device()};
    build_from_source(context,
                      "__kernel void fault(__global " + type + "* out) {" +  //
                          "  " + type + " sum = out[get_global_id(0)];" +    //
                          "  out[get_global_id(0)] = sum + sum;" +           //
                          "}",
                      "-cl-std=CL1.2");
    return true;
  } catch (const DeviceError&) {
    return false;
  }
}

// OpenCL C has no vectors of one number. Some drivers take them, and rusticl does not: in our
// kernels a vector of one is a scalar.
TEST(Driver, CompilesAScalarWhateverItDoesWithVectorsOfOne) {
  EXPECT_TRUE(compiles("float"));
  if (!compiles("float1"))
    test::tell_of_driver(test::first_device().info, "float1 does not compile");
}

// clFinish of rusticl (Mesa 22.3.6) returns at once where all was flushed before; Queue::finish
// waits.
TEST(Driver, HasEndedWhatWasFlushedWhenTheQueueIsFinished) {
  constexpr std::size_t bytes = std::size_t{32} << 20;
  const Context context{test::first_device()};
  Queue queue{context};
  const Buffer from = context.allocate(bytes, Access::read_write);
  const std::vector<unsigned char> sent(bytes, 0x5a);
  std::vector<unsigned char> landed(bytes);
  queue.write(from, sent.data(), {1, bytes, bytes, bytes, 0}, true);
  const Event read = queue.read_later(from, landed.data(), bytes, 0);
  queue.flush();
  queue.finish();
  EXPECT_TRUE(landed == sent);
}

// What is not flushed begins at the first wait there (rusticl), when the CPU has done its part.
TEST(Driver, BeginsWhatWasSubmittedThoughNobodyWaits) {
  constexpr double patience = 30;
  const Context context{test::first_device()};
  Queue queue{context};
  const Program program = build_from_source(
      context, "__kernel void nothing(__global int* out) { out[0] = 1; }", "-cl-std=CL1.2");
  Kernel kernel = program.kernel("nothing");
  const Buffer out = context.allocate(sizeof(int), Access::read_write);
  kernel.set_argument(0, out);
  const Event submitted = queue.submit(kernel, {{1, 1}, {1, 1}});
  const Stopwatch watch;
  while (!queue.has_ended(submitted) && watch.seconds() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(queue.has_ended(submitted));
}

}  // namespace
}  // namespace duoblas::cl
