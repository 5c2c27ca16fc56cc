// Copies pageable memory to a device: several threads copy it into page-locked blocks, from which
// the device fetches while the next block is filled.
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

/// What lies between the rows of a rectangle in a buffer: unused bytes, or a wider matrix's other
/// columns.
enum class Gaps { free, kept };

/// One caller at a time; context, queue and threads outlive it.
class UploadRing {
 public:
  /// `meanwhile` does a piece of other work instead of waiting for a block, and returns whether
  /// there was any.
  UploadRing(const cl::Context& context, cl::Queue& queue, CopyThreads& threads,
             std::function<bool()> meanwhile);

  /// Enqueues a copy of the rows to `to`, where they start at `offset` bytes and lie `device_pitch`
  /// >= the rows' length apart. `from` has been read when this returns. Not flushed. The event
  /// belongs to the last block; when it has ended, so have all before. Null if there are no rows.
  /// \throws DeviceError.
  std::shared_ptr<const cl::Event> upload(const HostRect& from, const cl::Buffer& to,
                                          std::size_t offset, std::size_t device_pitch,
                                          Gaps gaps = Gaps::free);

  /// Allocates every block, before the first transfer. \throws DeviceError.
  void reserve();

  /// Waits for the running transfers. \throws DeviceError if an upload failed.
  void finish();
  /// Notes a copy that was enqueued from memory that is page-locked already, as if by upload().
  void note(std::shared_ptr<const cl::Event> sent);
  /// Checks the copies that have ended by now. Results of a product may come back although a copy
  /// has failed, since the driver decides what kernels do after that. Any thread may call it at any
  /// time. \throws DeviceError if a copy failed.
  void check_ended();

  /// Drops what has failed. Call it after the queue was drained.
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
  /// Not checked yet, in the order in which they end.
  std::deque<std::shared_ptr<const cl::Event>> unasked_;
  std::size_t next_ = 0;
  double copy_seconds_ = 0;
};

}  // namespace duoblas
