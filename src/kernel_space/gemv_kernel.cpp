#include "kernel_space/gemv_kernel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string_view>

#include "kernel_space/built_in_rows.hpp"
#include "kernel_space/made_once.hpp"

namespace duoblas {
namespace {

bool is_power_of_two(int value) {
  return value > 0 && (value & (value - 1)) == 0;
}

constexpr const char* inlined = " inline";
constexpr const char* imaged = " image";
constexpr const char* fuses = " fused ";
constexpr int most_fused = 4;

// What a group writes is seen by those that end later: on a CPU, and where PTX has a fence for it
// (kernels/gemv.cl), as devices have that copy by it.
bool has_group_fences(const DeviceLimits& device) {
  return device.is_cpu || device.async_copies;
}

// The built-in kernels (facts/kernels.txt) for each kind of device, type and form. Read once, since
// every call asks.
struct BuiltIn {
  GemvKernel of[2][precision_count][2];
};

BuiltIn read_built_in() {
  BuiltIn kernels;
  for (const bool of_cpu : {false, true})
    for (const Precision precision : all_precisions)
      for (const bool transposes : {false, true})
        kernels.of[of_cpu ? 1 : 0][precision_index(precision)][transposes ? 1 : 0] =
            gemv_kernel_from(
                std::string(built_in_text(transposes ? "gemv t" : "gemv n", of_cpu, precision)));
  return kernels;
}

// Elements of the widest vectors of a CPU device; on others sixteen bytes are the widest access of
// a work-item.
int widest_vector(const DeviceLimits& device, Precision precision) {
  const int part = is_double(precision) ? 8 : 4, numbers = reals_of(precision);
  const int bytes = device.is_cpu ? device.vector_bytes : 16;
  return std::clamp(bytes / part, numbers, 16) / numbers;
}

}  // namespace

const GemvAxes& gemv_fields() {
  static const GemvAxes all = {{"vector_width", &GemvKernel::vector_width},
                               {"across", &GemvKernel::across},
                               {"teams", &GemvKernel::teams},
                               {"lines", &GemvKernel::lines},
                               {"unroll", &GemvKernel::unroll}};
  return all;
}

const GemvAxes& gemv_switches() {
  static const GemvAxes all = {{"inline_sizes", &GemvKernel::inline_sizes},
                               {"image", &GemvKernel::image},
                               {"fused", &GemvKernel::fused}};
  return all;
}

// On CPU devices a work-group has one work-item.
GemvAxes gemv_axes(const DeviceLimits& device, bool transposes) {
  GemvAxes axes = {{"lines", &GemvKernel::lines}, {"unroll", &GemvKernel::unroll}};
  if (!device.is_cpu) {
    axes.emplace_back("across", &GemvKernel::across);
    if (transposes) axes.emplace_back("teams", &GemvKernel::teams);
  }
  axes.emplace_back("vector_width", &GemvKernel::vector_width);
  if (!device.is_cpu) axes.emplace_back("fused", &GemvKernel::fused);
  axes.emplace_back("inline_sizes", &GemvKernel::inline_sizes);
  if (!device.is_cpu) axes.emplace_back("image", &GemvKernel::image);
  return axes;
}

GemvKernel default_gemv_kernel(const DeviceLimits& device, Precision precision, bool transposes) {
  static constinit std::atomic<const BuiltIn*> built_in = nullptr;
  GemvKernel kernel =
      made_once(built_in, read_built_in)
          .of[device.is_cpu ? 1 : 0][precision_index(precision)][transposes ? 1 : 0];
  kernel.vector_width = widest_vector(device, precision);
  if (device.is_cpu) return kernel;
  const auto most = static_cast<int>(std::min<std::size_t>(device.max_work_group_size, 1024));
  while (kernel.teams > 1 && kernel.across * kernel.teams > most) kernel.teams /= 2;
  while (kernel.across > 1 && kernel.across * kernel.teams > most) kernel.across /= 2;
  return kernel;
}

bool is_sound(const GemvKernel& kernel, Precision precision, bool transposes) {
  // Far above any device's work-groups.
  constexpr int most_items = 1024;
  const auto within = [](int value, int most) { return value >= 1 && value <= most; };
  const auto is_switch = [](int value) { return value == 0 || value == 1; };
  const auto vector_bytes = static_cast<std::size_t>(kernel.vector_width) * element_size(precision);
  return within(kernel.vector_width, 16) &&
         is_power_of_two(kernel.vector_width * reals_of(precision)) &&
         kernel.vector_width * reals_of(precision) <= 16 && within(kernel.across, most_items) &&
         is_power_of_two(kernel.across) && within(kernel.teams, transposes ? most_items : 1) &&
         within(kernel.lines, 16) && within(kernel.unroll, 16) && is_switch(kernel.inline_sizes) &&
         is_switch(kernel.image) && kernel.fused >= 0 && kernel.fused <= most_fused &&
         (kernel.image == 0 || vector_bytes == gemv_pixel_bytes);
}

bool is_legal(const GemvKernel& kernel, const DeviceLimits& device, Precision precision,
              bool transposes) {
  if (!is_sound(kernel, precision, transposes)) return false;
  const std::size_t items =
      static_cast<std::size_t>(kernel.across) * static_cast<std::size_t>(kernel.teams);
  const std::size_t elements = static_cast<std::size_t>(kernel.lines) * items *
                               static_cast<std::size_t>(transposes ? kernel.vector_width : 1);
  const bool shares = transposes ? kernel.teams > 1 : kernel.across > 1;
  const std::size_t local = shares ? elements * element_size(precision) : 0;
  return items <= device.max_work_group_size &&
         (device.local_memory_bytes == 0 || local <= device.local_memory_bytes) &&
         (kernel.image == 0 || device.max_image_pixels > 0) &&
         (kernel.fused == 0 || has_group_fences(device)) &&
         (!is_double(precision) || device.has_fp64);
}

std::string describe(const GemvKernel& kernel) {
  return "v" + std::to_string(kernel.vector_width) + " " + std::to_string(kernel.across) + "x" +
         std::to_string(kernel.teams) + " lines " + std::to_string(kernel.lines) + " unroll " +
         std::to_string(kernel.unroll) + (kernel.inline_sizes != 0 ? inlined : "") +
         (kernel.image != 0 ? imaged : "") +
         (kernel.fused != 0 ? fuses + std::to_string(kernel.fused) : "");
}

GemvKernel gemv_kernel_from(const std::string& text) {
  GemvKernel kernel;
  int end = 0;
  const auto takes = [&](std::string_view word) {
    const bool is_next =
        std::string_view(text).substr(static_cast<std::size_t>(end)).starts_with(word);
    if (is_next) end += static_cast<int>(word.size());
    return is_next ? 1 : 0;
  };
  if (std::sscanf(text.c_str(), "v%d %dx%d lines %d unroll %d%n", &kernel.vector_width,
                  &kernel.across, &kernel.teams, &kernel.lines, &kernel.unroll, &end) == 5) {
    kernel.inline_sizes = takes(inlined);
    kernel.image = takes(imaged);
    if (takes(fuses) != 0) {
      int read = 0;
      const bool is_there =
          std::sscanf(text.c_str() + end, "%d%n", &kernel.fused, &read) == 1 && kernel.fused > 0;
      end = is_there ? end + read : -1;
    }
    if (static_cast<std::size_t>(end) == text.size()) return kernel;
  }
  throw std::invalid_argument("\"" + text + "\" is no gemv kernel, as \"" + describe(GemvKernel{}) +
                              "\" is");
}

}  // namespace duoblas
