// The queues, rings and threads that transfers to and from a device use, one product after another.
#pragma once

#include "gpu/device/opened_device.hpp"
#include "gpu/device/spare_blocks.hpp"
#include "memory/copy_threads.hpp"
#include "memory/download_ring.hpp"
#include "memory/page_arena.hpp"
#include "memory/pinned_memory.hpp"
#include "memory/registered_memory.hpp"
#include "memory/upload_ring.hpp"

namespace duoblas {

struct TransferQueues {
  /// \throws DeviceError.
  TransferQueues(OpenedDevice& opened, int copy_helpers)
      : device(opened),
        uploads(opened.context),
        downloads(opened.context),
        panels(opened.context),
        copiers(copy_helpers),
        results(opened.context, downloads, copiers, [this] { operands.check_ended(); }),
        operands(opened.context, uploads, copiers, [this] { return results.advance(); }),
        page_locks(opened.context) {}

  OpenedDevice& device;  ///< kernels are on its own queue
  cl::Queue uploads;
  cl::Queue downloads;
  cl::Queue panels;  ///< to the device, beside the transfers of `uploads`
  CopyThreads copiers;
  DownloadRing results;
  UploadRing operands;
  PageLocks page_locks;
  SpareBlocks spare_blocks;
  PageArena own_lines;  ///< B and C of a level-3 job, apart from the caller's (lines_apart.hpp)
  PinnedMemoryPool panel_memory;

  /// When this returns, all enqueued commands have ended. The device may already be failing.
  void drain() noexcept;
};

}  // namespace duoblas
