#include "gpu/kernel_space.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "opencl/choose_device.hpp"
#include "opencl/driver_quirks.hpp"

namespace duoblas::test {
namespace {

cl::Device space_device() {
  std::string why_not;
  const auto devices = cl::list_devices(&why_not);
  const auto chosen = cl::choose_device(devices, space_options().device, true, &why_not);
  if (!chosen) throw std::runtime_error("these tests need an OpenCL device: " + why_not);
  return *chosen;
}

char line_at_abort[200];

// What was tried before is right; the rest is left out, and CTest says so.
void skip_the_rest(int) {
  if (::write(STDOUT_FILENO, line_at_abort, std::strlen(line_at_abort)) < 0) ::_exit(1);
  ::_exit(77);
}

// Where a driver's compiler is known to end the process, that is no fault of the kernel.
void expect_aborts(const cl::DeviceInfo& device) {
  if (!cl::quirks_of(device).compiler_aborts) return;
  std::snprintf(line_at_abort, sizeof line_at_abort,
                "\n==> driver: %s, %s: its compiler ends the process\n", device.name.c_str(),
                device.driver_version.c_str());
  std::signal(SIGABRT, skip_the_rest);
}

bool is_reached(const FieldValue& value, const DeviceLimits& limits) {
  KernelSampler sampler(limits, 1);
  for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z})
    if (sampler.draw(value.family, precision, &value)) return true;
  return false;
}

}  // namespace

SpaceOptions& space_options() {
  static SpaceOptions once;
  return once;
}

SpaceDevice::SpaceDevice()
    : device_(space_device()), side_(std::make_unique<GpuSide>(device_, GpuFolders{})) {
  expect_aborts(device_.info);
}

void SpaceDevice::next_kernel() {
  constexpr int few = 16;  // kernels; sizes are compiled in once for each
  if (++kernels_ % few == 0) side_ = std::make_unique<GpuSide>(device_, GpuFolders{});
}

const SpacePlan& space_plan(const DeviceLimits& limits) {
  static const SpacePlan once = plan_space(limits, space_options().seed, space_options().draws());
  return once;
}

std::string what_lacks(const FieldValue& value, const DeviceLimits& limits) {
  const std::pair<const char*, void (*)(DeviceLimits&)> grants[] = {
      {"images", [](DeviceLimits& l) { l.max_image_pixels = 1 << 27; }},
      {"register limits", [](DeviceLimits& l) { l.register_shares = true; }},
      {"shuffle", [](DeviceLimits& l) { l.shuffle_width = 32; }},
      {"fma instructions", [](DeviceLimits& l) { l.fma_single = l.fma_double = true; }},
      {"asynchronous copies", [](DeviceLimits& l) { l.async_copies = true; }},
      {"fp64 matrix instructions",
       [](DeviceLimits& l) { l.async_copies = l.fp64_matrix = l.has_fp64 = true; }},
      {"TF32 matrix instructions", [](DeviceLimits& l) { l.async_copies = l.tf32_matrix = true; }},
      {"TF32 matrix instructions of 128 work-items",
       [](DeviceLimits& l) {
         l.is_cpu = false;
         l.async_copies = l.tf32_matrix = l.wide_matrix = true;
         l.local_memory_bytes = l.static_local_bytes = 227 << 10;
       }},
      {"larger work-groups", [](DeviceLimits& l) { l.max_work_group_size = 4096; }},
      {"more local memory",
       [](DeviceLimits& l) { l.local_memory_bytes = l.static_local_bytes = 227 << 10; }},
      {"wider vectors", [](DeviceLimits& l) { l.vector_bytes = 64; }},
      {"a GPU's compiler", [](DeviceLimits& l) { l.is_cpu = false; }},
  };
  for (const auto& [name, grant] : grants) {
    DeviceLimits more = limits;
    grant(more);
    if (is_reached(value, more)) return name;
  }
  return {};
}

}  // namespace duoblas::test
