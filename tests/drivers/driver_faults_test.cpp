// What drivers were found to do wrong, reduced to a few lines each. A driver that the table of
// quirks does not name for a fault must be right; one that it names and that is right is printed.
#include <gtest/gtest.h>

#include <cstdio>
#include <string_view>
#include <vector>

#include "opencl/driver_quirks.hpp"
#include "opencl/handles.hpp"
#include "support/first_device.hpp"

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
  std::printf("%s, %s, driver %s: %s\n", fault, info.name.c_str(), info.driver_version.c_str(),
              right ? "right" : "wrong");
  EXPECT_TRUE(right || known) << "a fault that no row of driver_quirks.cpp has: " << fault;
  if (right && known) std::printf("the table of quirks names this driver: has it been mended?\n");
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

}  // namespace
}  // namespace duoblas::cl
