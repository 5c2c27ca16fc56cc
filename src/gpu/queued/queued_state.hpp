// The private state of QueuedProducts, for the files that contain its methods.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include <duoblas/error.hpp>

#include "gpu/device/opened_device.hpp"
#include "gpu/product/kernel_trial.hpp"
#include "gpu/product/product.hpp"
#include "gpu/product/workspace.hpp"
#include "gpu/queued/queued_products.hpp"
#include "opencl/callers_objects.hpp"

namespace duoblas {

/// A program's buffer as an operand. \throws DeviceError.
AdoptedOperand bind(const BufferPlace& place, const cl::Context& context, std::size_t element);

/// The program waits for the last kernel's event; nobody here waits for earlier ones.
struct NobodyAsks {
  EarlierKernels& earlier;
  ~NobodyAsks() { earlier.clear(); }
};

inline void fill_unasked(cl::Queue& queue, const cl::Buffer& buffer, std::size_t bytes) {
  static_cast<void>(queue.fill_with_zeros(buffer, bytes));
}

/// Bytes of zeros that a product reads in place of operands that must not be read.
inline std::size_t bytes_of_zeros(const GemmProblem& product) {
  return static_cast<std::size_t>(std::max(product.m, product.n)) * element_size(product.precision);
}

inline WorkspaceBytes needs_of(const GemmProblem& product, const KernelParams& kernel,
                               const DeviceLimits& limits) {
  WorkspaceBytes needs = workspace_bytes(product, kernel, limits);
  if (product.only_scales_c()) needs.zeros = bytes_of_zeros(product);
  return needs;
}

struct QueuedProducts::State {
  State(void* queue, const GpuFolders& folders, const GpuBounds& bounds,
        const Verification& verification)
      : device(cl::adopt_queue(queue), folders, bounds, verification, product_trials) {}

  // Enqueues after these events what `submit` does, or a mark where nothing is to be done, and
  // gives the caller an event for it. The device's mutex is held.
  template <typename Submit>
  void in_turn(bool is_nothing, std::span<void* const> after, void** done, Submit&& submit) {
    for (void* event : after) cl::start_after(device.queue, event);
    cl::Event event;
    if (is_nothing) {
      event = device.queue.mark();
      device.queue.flush();
    } else {
      event = submit();
    }
    if (done != nullptr) *done = event.give_up();
  }

  // Call it before anything is enqueued, if there is a workspace. \throws SettingError if it is too
  // small.
  void serve(const WorkspaceBytes& needs) {
    const cl::CallerBuffer& memory = workspace->memory();
    const std::size_t bytes = needs.total(memory.alignment());
    if (bytes > memory.bytes()) {
      throw SettingError("the workspace has " + std::to_string(memory.bytes()) +
                         " bytes, and this call takes " + std::to_string(bytes) +
                         ": set a larger one, or none");
    }
    // The last product's parts, which the workspace may be divided anew without.
    let_go_of_packed();
    scratch.flag = nullptr;
    workspace->serve(needs, device.scratch, zeros);
    device.scratch.flag.forget();  // others may have written to it
  }

  void let_go_of_scratch() {
    scratch.release();
    let_go_of_packed();
    device.scratch.flag.release();
    zeros.release();
  }

  void let_go_of_packed() {
    // Images over packed operands hold their memory.
    scratch.image_a.reset();
    scratch.image_b.reset();
    scratch.packed_a = scratch.packed_b = scratch.partial = nullptr;
    for (ScratchBuffer* kept :
         {&device.scratch.packed_a, &device.scratch.packed_b, &device.scratch.partial})
      kept->release();
  }

  OpenedDevice device;
  ProductScratch scratch;
  ScratchBuffer zeros;
  std::optional<Workspace> workspace;
};

}  // namespace duoblas
