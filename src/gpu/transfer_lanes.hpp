// What products on their way to a device and back use one after another.
#pragma once

#include "gpu/opened_device.hpp"
#include "memory/copy_threads.hpp"
#include "memory/landing_memory.hpp"
#include "memory/registered_memory.hpp"
#include "memory/upload_ring.hpp"

namespace duoblas {

struct TransferLanes {
  /// \throws DeviceError.
  TransferLanes(OpenedDevice& opened, int copy_helpers)
      : device(opened),
        uploads(opened.context),
        downloads(opened.context),
        copiers(copy_helpers),
        ring(opened.context, uploads, copiers),
        page_locks(opened.context) {}

  OpenedDevice& device;  ///< whose own queue the kernels are on
  cl::Queue uploads;
  cl::Queue downloads;
  CopyThreads copiers;
  UploadRing ring;
  PageLocks page_locks;
  LandingPool landings;
  ScratchBuffer a, b, c;  ///< kept: allocating on the device can take as long as a product

  /// Whatever was enqueued has ended when this returns. The device may already be failing.
  void drain() noexcept;
};

}  // namespace duoblas
