// Parts of buffers that are released in every order that OpenCL allows, after commands have used
// them: a part of a program's workspace (gpu/product/workspace.hpp) lives so. With NVIDIA's driver
// (580) a test of workspaces ended in such a release, and nobody knows yet what of this it takes.
#include <gtest/gtest.h>

#include <cstdlib>

#include "opencl/function_table.hpp"
#include "opencl/handles.hpp"
#include "support/first_device.hpp"

namespace duoblas::cl {
namespace {

struct Order {
  const char* name;
  bool fills;            ///< the part, before a kernel uses it
  bool names_it_twice;   ///< the kernel: in two arguments
  bool finishes;         ///< the queue, not only a read that comes last
  bool whole_is_unused;  ///< no command was given the whole
  bool program_first;    ///< the program's reference to the whole goes before the part
};

constexpr Order orders[] = {
    {"Kernel", false, false, false, false, false},
    {"KernelFinished", false, false, true, false, false},
    {"KernelTwice", false, true, false, false, false},
    {"KernelOfAnUnusedWhole", false, false, false, true, false},
    {"KernelProgramFirst", false, false, false, true, true},
    {"Fill", true, false, false, true, false},
    {"FillTwice", true, true, false, true, false},
    {"FillTwiceFinished", true, true, true, true, false},
    {"FillTwiceProgramFirst", true, true, false, true, true},
    {"FillTwiceProgramFirstFinished", true, true, true, true, true},
};

Buffer part_of(const Buffer& whole, std::size_t first, std::size_t bytes) {
  const cl_buffer_region region{first, bytes};
  cl_int code = CL_SUCCESS;
  Buffer part(functions().clCreateSubBuffer(static_cast<cl_mem>(whole.raw()), 0,
                                            CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  if (code != CL_SUCCESS) std::_Exit(2);
  return part;
}

// Two workspaces one after another live at a time, as in a program that sets the next one.
[[noreturn]] void release_in(const Order& order) {
  const Context context{test::first_device()};
  Queue queue{context};
  const Program program =
      build_from_source(context,
                        "__kernel void add(__global int* a, __global int* b, __global int* out) {"
                        "  out[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];"
                        "}",
                        "-cl-std=CL1.2");
  Kernel kernel = program.kernel("add");
  constexpr std::size_t items = 64, bytes = items * sizeof(int);
  const Buffer out = context.allocate(bytes, Access::read_write);
  const std::size_t unit = context.device().info.base_alignment_bytes;
  int wrong = 0;
  Buffer part, ours;
  for (std::size_t round = 1; round <= 32; ++round) {
    Buffer programs = context.allocate(round * unit + bytes, Access::read_write);
    functions().clRetainMemObject(static_cast<cl_mem>(programs.raw()));
    part.reset();
    ours = Buffer(programs.raw());
    if (!order.whole_is_unused)
      static_cast<void>(queue.fill_with_zeros(ours, round * unit + bytes));
    part = part_of(ours, round / 2 * unit, bytes);
    if (order.fills) static_cast<void>(queue.fill_with_zeros(part, bytes));
    kernel.set_argument(0, part);
    kernel.set_argument(1, order.names_it_twice ? part : out);
    kernel.set_argument(2, out);
    queue.enqueue_unasked(kernel, {{items, 1}, {items, 1}});
    int numbers[items];
    queue.read(out, numbers, {1, bytes, bytes, bytes, 0});
    if (order.fills && order.names_it_twice) wrong += numbers[items - 1] != 0;
    if (order.finishes) queue.finish();
    if (order.program_first) programs.reset();
    if (round % 3 == 0) part.reset();
  }
  // Not by exit(), where a thread of Intel's runtime may crash (docs/drivers.md).
  std::_Exit(wrong == 0 ? 0 : 1);
}

class PartsOfBuffers : public testing::TestWithParam<Order> {};

INSTANTIATE_TEST_SUITE_P(Orders, PartsOfBuffers, testing::ValuesIn(orders),
                         [](const auto& order) { return std::string(order.param.name); });

// In a process of its own each.
TEST_P(PartsOfBuffers, MayBeReleasedBeforeTheirWhole) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(release_in(GetParam()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace duoblas::cl
