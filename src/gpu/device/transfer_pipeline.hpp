// The transfers to and from a device, and the thread that does jobs with them, one after another,
// beside the caller's. (product/pipelined_product.hpp has the picture of one.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <utility>

#include "gpu/device/opened_device.hpp"
#include "gpu/device/work_thread.hpp"
#include "memory/copy_threads.hpp"
#include "memory/download_ring.hpp"
#include "memory/page_arena.hpp"
#include "memory/pinned_memory.hpp"
#include "memory/registered_memory.hpp"
#include "memory/upload_ring.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// The queues, rings and threads that transfers to and from a device use, one product after
/// another.
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

/// The device outlives it. The destructor waits for everything that was started.
class TransferPipeline {
 public:
  /// \throws DeviceError.
  static std::unique_ptr<TransferPipeline> make(OpenedDevice& device);

  /// Calls job->run() on the thread. What the job needs must live until the future is ready; the
  /// job itself is gone then. \throws std::bad_alloc.
  template <typename Job>
  auto start(std::shared_ptr<Job> job) {
    using Result = decltype(job->run());
    auto task = std::make_shared<std::packaged_task<Result()>>([job = std::move(job)]() mutable {
      const auto running = std::move(job);
      return running->run();
    });
    std::future<Result> done = task->get_future();
    thread_.give([task] { (*task)(); });
    return done;
  }

  // The caller holds the device's mutex for what follows.
  /// Makes all the page-locked memory that transfers use. \throws DeviceError.
  void reserve();
  /// Copies rows to the start of a buffer, `pitch` >= their length apart, and waits. \throws
  /// DeviceError.
  void upload(const HostRect& from, const cl::Buffer& to, std::size_t pitch);
  TransferQueues& queues() { return queues_; }
  /// Bytes of operands and results, of all products so far.
  std::uint64_t copied_bytes() const;

 private:
  explicit TransferPipeline(OpenedDevice& device);

  TransferQueues queues_;
  WorkThread thread_;  // ends before what it uses
};

}  // namespace duoblas
