// Where a product's kernels are enqueued, and the memory that they use beside operands.
#pragma once

#include <cstdint>

#include "gpu/device/opened_device.hpp"
#include "gpu/product/launch.hpp"
#include "gpu/product/product.hpp"

namespace duoblas {

struct Workbench {
  const OpenedDevice& device;
  cl::Queue& queue;
  DeviceScratch& scratch;
  std::uint64_t& packed_bytes;
  LaunchPace* pace = nullptr;  ///< null: launches are not bounded
  SplitLast split_last = SplitLast::never;
};

/// That of calls. A product that is launched in parts splits no tiles, for the parts would want
/// memory of different sizes.
inline Workbench bench_of(OpenedDevice& device, const ProductScratch& scratch) {
  Workbench bench{device, device.queue, device.scratch, device.packed_bytes};
  if (device.pace.bound() > 0)
    bench.pace = &device.pace;
  else if (scratch.splits_last_tiles)
    bench.split_last = SplitLast::where_it_pays;
  return bench;
}

}  // namespace duoblas
