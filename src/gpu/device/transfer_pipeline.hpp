// The transfers to and from a device, and the thread that does jobs with them, one after another,
// beside the caller's. (product/pipelined_product.hpp has the picture of one.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <utility>

#include "gpu/device/opened_device.hpp"
#include "gpu/device/transfer_queues.hpp"
#include "gpu/device/work_thread.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

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
