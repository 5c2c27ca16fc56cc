// Where a product's kernels are enqueued, the memory that they use beside operands, and how they
// are enqueued: with events only if somebody waits for the product's end. An event costs the host 2
// us of the 9 that a launch takes, and the device 1.6 us
// (docs/results/h100.md#small-products-without-events).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <duoblas/error.hpp>

#include "gpu/device/earlier_kernels.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/launch.hpp"
#include "gpu/product/product.hpp"

namespace duoblas {

struct Workbench {
  const TargetDevice& device;
  cl::Queue& queue;
  DeviceScratch& scratch;
  LaunchPace* pace = nullptr;  ///< null: launches are not bounded
  SplitLast split_last = SplitLast::never;
  bool may_wait = true;  ///< for the device
};

/// That of calls. A product that is launched in parts splits no tiles, for the parts would want
/// memory of different sizes.
inline Workbench bench_of(OpenedDevice& device, const ProductScratch& scratch) {
  Workbench bench{device, device.queue, device.scratch};
  bench.may_wait = device.may_wait;
  if (device.pace.bound() > 0)
    bench.pace = &device.pace;
  else if (scratch.splits_last_tiles)
    bench.split_last = SplitLast::where_it_pays;
  return bench;
}

/// The launch that packs one operand: `extent` rows of op(A) or columns of op(B).
struct PackingLaunch {
  bool is_needed = false;
  const char* kernel;
  cl::Range range;
  std::int64_t extent = 0;
  std::size_t bytes = 0;
};
inline PackingLaunch packing_of_a(const Launch& launch, const GemmProblem& problem) {
  return {launch.packs_a, "pack_a", launch.pack_a, problem.m, launch.packed_a_bytes};
}
inline PackingLaunch packing_of_b(const Launch& launch, const GemmProblem& problem) {
  return {launch.packs_b, "pack_b", launch.pack_b, problem.n, launch.packed_b_bytes};
}

/// Memory beside the operands. \throws DeviceError.
inline std::shared_ptr<const cl::Buffer> memory_beside(ScratchBuffer& kept,
                                                       const cl::Context& context,
                                                       std::size_t bytes) {
  const cl::DeviceInfo& info = context.device().info;
  if (bytes > info.max_allocation_bytes)
    throw DeviceError("packed operands of " + std::to_string(bytes) + " bytes are more than " +
                      info.name + " can allocate at once; the CPU has to do it");
  return kept.at_least(context, bytes);
}

/// Enqueues a kernel before the product's last one.
inline void enqueue_earlier(cl::Queue& queue, const cl::Kernel& kernel, const cl::Range& range,
                            ProductScratch& scratch) {
  if (scratch.asked_for)
    keep(scratch.earlier, queue.enqueue(kernel, range));
  else
    queue.enqueue_unasked(kernel, range);
}

/// The product's last, which writes to C; flushes where `scratch` says so. The event is empty where
/// nobody asks.
inline cl::Event submit_last(cl::Queue& queue, const cl::Kernel& kernel, const cl::Range& range,
                             ProductScratch& scratch) {
  cl::Event event;
  if (scratch.asked_for)
    event = queue.enqueue(kernel, range);
  else
    queue.enqueue_unasked(kernel, range);
  scratch.writes_c = true;
  if (scratch.flushes) queue.flush();
  return event;
}

}  // namespace duoblas
