// What a kernel may use on a device: the facts that the rules of kernel_rules.hpp ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "problem/precision.hpp"

namespace duoblas {

/// What multiplies doubles, and so how long they take: units of their own, or gpu/integers.
enum class Arithmetic { native, integers };

constexpr std::string_view name(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::integers ? "integers" : "native";
}
constexpr std::optional<Arithmetic> arithmetic_from(std::string_view text) {
  for (const Arithmetic arithmetic : {Arithmetic::native, Arithmetic::integers})
    if (text == name(arithmetic)) return arithmetic;
  return std::nullopt;
}

struct DeviceLimits {
  bool is_cpu = false;                   ///< an OpenCL CPU device: the panel family
  std::size_t max_work_group_size = 1;   ///< work-items
  std::size_t local_memory_bytes = 0;    ///< per work-group, wherever it lies; 0: no limit
  std::size_t max_allocation_bytes = 0;  ///< largest single buffer
  std::size_t memory_bytes = 0;          ///< of all buffers of a product; 0: not known
  bool shares_memory = true;             ///< with the host
  int compute_units = 1;
  /// After so many iterations a work-item leaves its loops (a fault of llvmpipe); 0: never.
  std::int64_t loop_turns = 0;
  int vector_bytes = 16;  ///< widest native vector of a CPU device, from its preferred widths
  bool has_fp64 = true;
  bool doubles_by_integers = false;  ///< where it has none, products of doubles are gpu/integers'
  bool byte_dot_products = false;    ///< cl_khr_integer_dot_product, of four bytes
  bool fma_single = true;            ///< fma() of floats is an instruction
  bool fma_double = true;
  std::size_t max_image_pixels = 0;  ///< of an image over a buffer; 0: no images
  int shuffle_width = 0;             ///< work-items that can shuffle; 0: none can
  /// Abilities that OpenCL has no query for; src/gpu/device/device_limits_of.hpp probes them.
  bool async_copies = false;
  bool register_shares = false;  ///< a compiler that takes a limit of registers, of 65536 a unit
  bool fp64_matrix = false;
  bool tf32_matrix = false;
  bool wide_matrix = false;            ///< TF32 instructions of 128 work-items
  bool byte_dp4a = false;              ///< NVIDIA's dot products of four bytes
  bool byte_matrix = false;            ///< matrix instructions of bytes
  bool wide_bytes = false;             ///< those of 128 work-items
  std::size_t static_local_bytes = 0;  ///< of an array in a kernel, where that may be more

  friend bool operator==(const DeviceLimits&, const DeviceLimits&) = default;

  /// Whether its products of this type are of integers.
  bool multiplies_by_integers(Precision precision) const {
    return is_double(precision) && !has_fp64 && doubles_by_integers;
  }
  Arithmetic arithmetic(Precision precision) const {
    return multiplies_by_integers(precision) ? Arithmetic::integers : Arithmetic::native;
  }
  /// Whether it has products of this type.
  bool multiplies(Precision precision) const {
    return !is_double(precision) || has_fp64 || doubles_by_integers;
  }
};

/// The arithmetics that it has products of.
inline std::vector<Arithmetic> arithmetics_of(const DeviceLimits& device) {
  if (!device.multiplies_by_integers(Precision::d)) return {Arithmetic::native};
  return {Arithmetic::native, Arithmetic::integers};
}

}  // namespace duoblas
