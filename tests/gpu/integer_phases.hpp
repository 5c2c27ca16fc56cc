// Kernels of products by integers, each alone, and what the host makes of the same numbers.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/integers/integer_blocks.hpp"
#include "gpu/kernels/kernel_arguments.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_footprint.hpp"
#include "support/first_device.hpp"

namespace duoblas::test {

/// What the kernels' own files say of numbers, for tests to take as a whole.
namespace integers {

__extension__ using Wide = __int128;

inline constexpr std::array moduli = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227,
                                      223, 217, 211, 199, 197, 193, 191, 181, 179, 173};
inline constexpr std::array half_range = {109, 116, 124, 131, 139, 146, 154};
inline constexpr int fewest = 14;

// As in kernels/integers_numbers.clh.
struct Line {
  int top = 0, low = 0;
  std::uint32_t most = 0;
  std::int32_t held = 0;
  std::uint64_t norm = 0;
};
static_assert(sizeof(Line) == 24);

// The residue of least magnitude.
template <typename Integer>
std::int8_t balanced(Integer number, int modulus) {
  const auto p = static_cast<Integer>(modulus);
  Integer rest = number % p;
  if (rest < 0) rest += p;
  return static_cast<std::int8_t>(2 * rest > p - 1 ? rest - p : rest);
}

/// Where a term of a line lies in its plane, as kernels/integers_tile.clh says.
inline std::size_t place_of_term(const KernelParams& kernel, bool columns, std::int64_t line,
                                 std::int64_t term, std::int64_t padded_depth) {
  const std::int64_t tile = columns ? col_tile(kernel) : row_tile(kernel),
                     depth = slice_depth(kernel);
  std::int64_t within = line % tile;
  if (columns && kernel.matrix == MatrixUnit::integers_matrix) {
    const std::int64_t pair = within % 16 / 2;
    within = within / 16 * 16 + pair % 2 * 8 + pair / 2 * 2 + within % 2;
  } else if (columns) {
    const std::int64_t four = 4 * kernel.group_cols;
    within = (within / four * 4 + within % 4) * kernel.group_cols + within % four / 4;
  }
  const std::int64_t units = depth / 16,
                     slice = line / tile * (padded_depth / depth) + term / depth;
  const std::int64_t unit = (term % depth / 16) ^ (within * units / 8 % units);
  return static_cast<std::size_t>((slice * tile + within) * depth + unit * 16 + term % 16);
}

}  // namespace integers

/// Then its units for bytes are looked for.
inline cl::Device without_doubles(cl::Device device) {
  device.info.has_fp64 = false;
  return device;
}

/// A fixture.
class IntegerPhases : public testing::Test {
 protected:
  OpenedDevice device{without_doubles(first_device()), {}};
  KernelParams kernel = integers_kernel(device.limits);
  IntegerTile tile = integer_tile_of(kernel);
  BuiltProgram* built = &device.kernels.get(normalised(KernelVariant{kernel, Precision::d}));
  std::mt19937_64 engine{17};

  void use(const KernelParams& other) {
    kernel = other;
    tile = integer_tile_of(kernel);
    built = &device.kernels.get(normalised(KernelVariant{kernel, Precision::d}));
  }

  template <typename T>
  cl::Buffer on_device(const std::vector<T>& values) {
    return device.context.allocate_copy(values.data(), values.size() * sizeof(T));
  }
  template <typename T>
  void read(const cl::Buffer& from, std::vector<T>& to) {
    const std::size_t bytes = to.size() * sizeof(T);
    device.queue.read(from, to.data(), {1, bytes, bytes, bytes, 0});
  }
  KernelArguments of(const char* phase) { return {built->kernel(phase), Precision::d}; }
  void run(const char* phase, const cl::Range& range) {
    device.queue.wait(device.queue.submit(built->kernel(phase), range));
  }
  std::int64_t drawn(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
  }
  /// A double of any bits within these exponents.
  double number(int least, int most) {
    const double fraction = std::uniform_real_distribution<double>(1, 2)(engine);
    return std::ldexp(drawn(0, 1) == 0 ? fraction : -fraction,
                      static_cast<int>(drawn(least, most)));
  }
};

}  // namespace duoblas::test
