#include "cli/selftest/small_kernel.hpp"

#include <duoblas/error.hpp>

namespace duoblas::cli::selftest {
namespace {

constexpr const char* source =
    "__kernel void add(__global float* numbers, int rounds) {\n"
    "  float x = numbers[get_global_id(0)];\n"
    "  for (int i = 0; i < rounds; ++i) x = x * 0.5f + 1.0f;\n"
    "  numbers[get_global_id(0)] = x;\n"
    "}\n";

cl::Device device_at(int index) {
  for (const cl::Device& device : cl::list_devices())
    if (device.info.index == index) return device;
  throw DeviceError("the device is no longer listed");
}

}  // namespace

SmallKernel::SmallKernel(const cl::DeviceInfo& wanted)
    : context(device_at(wanted.index)),
      queue(context),
      numbers(context.allocate(items * sizeof(float), cl::Access::read_write)),
      kernel(cl::build_from_source(context, source, "").kernel("add")) {
  const cl::Event filled = queue.fill_with_zeros(numbers, items * sizeof(float));
  queue.finish();
  queue.check_ended(filled);
  kernel.set_argument(0, numbers);
  set_rounds(1);
}

}  // namespace duoblas::cli::selftest
