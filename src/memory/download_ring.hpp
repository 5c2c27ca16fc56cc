// Copies results to pageable memory: they arrive in a few page-locked blocks, from which several
// threads copy them while the next ones are in transfer.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "memory/copy_threads.hpp"
#include "memory/pinned_memory.hpp"
#include "opencl/handles.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// Looks at results before they reach the caller's memory.
class ArrivalCheck {
 public:
  virtual ~ArrivalCheck() = default;
  /// The result will be written to the caller's memory before anybody can check it. A check that
  /// needs the old values must copy them now.
  virtual void will_be_written() noexcept = 0;
  /// Checks rows that the device computed and that are copied next. False: they are wrong, and will
  /// not be copied.
  virtual bool is_right(const RowsCopy& rows) noexcept = 0;
};

/// What a device says of a result, and who decides by it.
struct ResultNote {
  static constexpr std::size_t most_bytes = 64;
  std::shared_ptr<const cl::Buffer> from;  ///< null: nothing is said
  std::size_t bytes = 0;
  /// Throws if the rows must not be copied, nor those of later results.
  std::function<void(const void* note)> admit;
};

/// One caller at a time; context, queue and threads outlive it.
class DownloadRing {
 public:
  /// Rows of at most this length, on the device too.
  static constexpr std::size_t block_bytes = std::size_t{4} << 20;

  /// `before_publishing` throws if the results may depend on a command that failed.
  DownloadRing(const cl::Context& context, cl::Queue& queue, CopyThreads& threads,
               std::function<void()> before_publishing);

  /// Rows on the device that are complete when `after` has ended. Its queue was flushed.
  struct Result {
    std::shared_ptr<const cl::Buffer> from;
    std::size_t offset = 0;
    std::size_t pitch = 0;  ///< bytes between the rows in the buffer
    HostRect to;
    std::shared_ptr<const cl::Event> after;
    /// Earlier commands of the same queue. If one of them fails, the result fails.
    std::vector<std::shared_ptr<const cl::Event>> earlier;
    std::size_t* rows_done = nullptr;  ///< counted up as rows arrive, whole rows only
    ArrivalCheck* check = nullptr;     ///< null: no check
    /// The rows belong to a wider matrix, whose other columns must not change.
    bool leaves_gaps = false;
    /// Read behind `after`, before the rows, each of which leaves room for it in a block.
    ResultNote note = {};
  };
  void expect(Result result);

  /// Says that the next results have so many bytes, and allocates the blocks that they can use,
  /// before the first transfer. From `least_ahead` on the threads copy them while the caller does
  /// other things.
  void reserve(std::size_t bytes, std::size_t least_ahead = CopyThreads::least_bytes_ahead);

  /// Copies the contents of one block that has arrived, or lets the threads begin with it, and
  /// starts transfers into blocks that were copied. False: nothing has arrived or was copied.
  /// \throws DeviceError if a download failed, or a command before it, or if the rows are wrong;
  /// wrong rows are not copied.
  bool advance();
  /// Waits until the transfers of all rows of a result have been enqueued. Results are numbered
  /// from 0 in the order in which they were expected. Returns the event of the last rows.
  std::shared_ptr<const cl::Event> sent_for(std::size_t result);
  /// Waits until everything has arrived.
  void finish();
  /// Drops what has failed, when the copies have ended that were begun before. Call it after the
  /// queue was drained.
  void forget() noexcept;

  /// Seconds that callers copied or waited for copies so far.
  double copy_seconds() const { return copy_seconds_; }

 private:
  struct Expected {
    Result result;
    bool ordered = false;  ///< later commands of the queue start after the result is complete
  };
  struct Piece {
    std::unique_ptr<PinnedMemory> memory;
    RowsCopy rows;
    CopyThreads::Started copy = CopyThreads::Started::ended;
    std::shared_ptr<const cl::Event> arrived, after;
    std::vector<std::shared_ptr<const cl::Event>> earlier;  ///< in a result's first piece only
    std::size_t* rows_done = nullptr;
    ArrivalCheck* check = nullptr;
    ResultNote note;  ///< in a result's first piece only; at the end of `memory`
  };
  void send_for_what_fits();
  void add_blocks(std::size_t wanted);
  void begin_copy(Piece& piece);
  void end_oldest_copy() noexcept;
  void wait_for_oldest();

  const cl::Context& context_;
  cl::Queue& queue_;
  CopyThreads& threads_;
  const std::function<void()> before_publishing_;
  std::deque<Expected> expected_;
  std::deque<Piece> in_flight_;
  std::size_t copying_ = 0;  ///< of the oldest of them
  bool copies_ahead_ = false;
  std::vector<std::unique_ptr<PinnedMemory>> free_;
  /// The ends of transfers that were enqueued.
  std::vector<std::shared_ptr<const cl::Event>> ends_;
  double copy_seconds_ = 0;
};

}  // namespace duoblas
