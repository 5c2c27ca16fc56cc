// The way of results to pageable memory: they land in a few page-locked blocks, from which several
// threads copy them while others are on their way.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "memory/arrival_check.hpp"
#include "memory/copy_threads.hpp"
#include "memory/pinned_memory.hpp"
#include "opencl/handles.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// One caller at a time; context, queue and threads outlive it.
class DownloadRing {
 public:
  /// Rows of at most this length, on the device too.
  static constexpr std::size_t block_bytes = std::size_t{4} << 20;

  DownloadRing(const cl::Context& context, cl::Queue& queue, CopyThreads& threads);

  /// Rows on the device that are there when `after` has ended, whose queue was flushed.
  struct Result {
    std::shared_ptr<const cl::Buffer> from;
    std::size_t offset = 0;
    std::size_t pitch = 0;  ///< bytes between the rows in the buffer
    HostRect to;
    std::shared_ptr<const cl::Event> after;
    /// Commands that `after` ended behind, and whose failure is the result's too.
    std::vector<std::shared_ptr<const cl::Event>> earlier;
    std::size_t* rows_done = nullptr;  ///< counted up while they arrive, never a part of one
    ArrivalCheck* check = nullptr;     ///< null: nobody looks at them
    /// Of a wider matrix, whose other columns stay where they are.
    bool leaves_gaps = false;
  };
  void expect(Result result);

  /// Makes the blocks that results of so many bytes can use, before anything is on its way.
  void reserve(std::size_t bytes);

  /// Copies what has arrived for one block, and sends for more. False: nothing has arrived yet.
  /// \throws DeviceError where a download failed, or what it was to come after, or the rows are
  /// wrong; those are not copied.
  bool advance();
  /// Waits until all of a result has been sent for, counted from 0 in the order in which they were
  /// expected; the event is of its last rows.
  std::shared_ptr<const cl::Event> sent_for(std::size_t result);
  /// Waits until everything has arrived.
  void finish();
  /// After the queue was drained: what failed is of no more interest.
  void forget() noexcept;

  /// Seconds of the host's copies so far.
  double copy_seconds() const { return copy_seconds_; }

 private:
  struct Expected {
    Result result;
    bool ordered = false;  ///< what is enqueued from now on starts after it is there
  };
  struct Piece {
    std::unique_ptr<PinnedMemory> memory;
    RowsCopy rows;
    std::shared_ptr<const cl::Event> arrived, after;
    std::vector<std::shared_ptr<const cl::Event>> earlier;  ///< in a result's first piece only
    std::size_t* rows_done = nullptr;
    ArrivalCheck* check = nullptr;
  };
  void send_for_what_fits();
  void publish_oldest();

  const cl::Context& context_;
  cl::Queue& queue_;
  CopyThreads& threads_;
  std::deque<Expected> expected_;
  std::deque<Piece> under_way_;
  std::vector<std::unique_ptr<PinnedMemory>> free_;
  std::vector<std::shared_ptr<const cl::Event>> ends_;  ///< of results that were sent for
  double copy_seconds_ = 0;
};

}  // namespace duoblas
