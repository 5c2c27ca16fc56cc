// The way of pageable memory to a device: copied by several threads into page-locked blocks, from
// which the device fetches while the next block is filled.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "memory/copy_threads.hpp"
#include "memory/pinned_memory.hpp"
#include "opencl/handles.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// What lies between the rows of a rectangle in a buffer: nothing that anybody needs, or a wider
/// matrix's other columns.
enum class Gaps { free, kept };

/// One caller at a time; context, queue and threads outlive it.
class UploadRing {
 public:
  /// `meanwhile`: what can be done instead of waiting for a block, a piece at a time; it says
  /// whether there was any.
  UploadRing(const cl::Context& context, cl::Queue& queue, CopyThreads& threads,
             std::function<bool()> meanwhile);

  /// Enqueues a copy of the rows to `to`, where they start `offset` bytes in and lie
  /// `device_pitch` >= rows' length apart. `from` has been read when this returns. Not flushed;
  /// the event is that of the last block, and so of all before. Null where there are no rows.
  /// \throws DeviceError.
  std::shared_ptr<const cl::Event> upload(const HostRect& from, const cl::Buffer& to,
                                          std::size_t offset, std::size_t device_pitch,
                                          Gaps gaps = Gaps::free);

  /// Makes every block, before anything is on its way. \throws DeviceError.
  void reserve();

  /// Waits for what is on its way. \throws DeviceError where an upload failed.
  void finish();
  /// What was sent on the queue from memory that is page-locked already, as if by upload().
  void note(std::shared_ptr<const cl::Event> sent);
  /// Of what was sent and has ended by now: whether it failed. What the device makes of it may come
  /// back all the same, since what kernels do behind a copy that failed is the driver's choice. Any
  /// thread, at any time. \throws DeviceError.
  void check_ended();

  /// After the queue was drained: what failed is of no more interest.
  void forget() noexcept;

  /// Seconds of the host's copies so far.
  double copy_seconds() const { return copy_seconds_; }

 private:
  struct Block {
    std::unique_ptr<PinnedMemory> memory;
    std::shared_ptr<const cl::Event> sent;  ///< empty: nothing is on its way from here
  };
  Block& add_block();
  Block& next_block();
  void wait_for(Block& block);

  const cl::Context& context_;
  cl::Queue& queue_;
  CopyThreads& threads_;
  const std::function<bool()> meanwhile_;
  std::vector<Block> blocks_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<const cl::Event>> unasked_;  ///< in their order, which they end in
  std::size_t next_ = 0;
  double copy_seconds_ = 0;
};

}  // namespace duoblas
