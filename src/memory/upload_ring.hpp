// Copies pageable memory to a device: several threads copy it into page-locked blocks, from which
// the device fetches while the next blocks are filled. Where the caller says what it will upload,
// the threads go on with that while the caller does other things.
#pragma once

#include <cstddef>
#include <cstdint>
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
enum class Gaps { free, untouched };

/// How rows are uploaded.
struct UploadKind {
  UploadKind(Gaps beside = Gaps::free) : gaps(beside) {}
  Gaps gaps;
  std::optional<TrianglePart> triangle;
  bool is_saved = false;  ///< the values, until drop_saved() or restore_saved()
};

/// One caller at a time; context, queue and threads outlive it.
class UploadRing {
 public:
  /// A block takes 75 us on a bus of 55 GB/s, far longer than enqueueing it.
  static constexpr std::size_t block_bytes = std::size_t{4} << 20;
  /// An upload takes at most so many blocks if its rows, with the gaps between them on the device,
  /// have `pitch` bytes. However small it is, no other upload has a part of them.
  static constexpr std::size_t most_blocks_of(std::size_t rows, std::size_t pitch) {
    const std::size_t rows_of_block = block_bytes / pitch;
    if (rows_of_block > 0) return (rows + rows_of_block - 1) / rows_of_block;
    return rows * ((pitch + block_bytes - 1) / block_bytes);
  }

  /// `meanwhile` does a piece of other work instead of waiting for a block, and returns whether
  /// there was any.
  UploadRing(const cl::Context& context, cl::Queue& queue, CopyThreads& threads,
             std::function<bool()> meanwhile);

  /// Says that upload() will be called with these arguments, after the calls that were said before.
  /// Blocks may be filled from now on, if CopyThreads::least_bytes_ahead are expected, or what
  /// fill_ahead_from() says. Until that call, or finish() or forget(), the memory must live and
  /// save its values. Other uploads may come in between.
  void expect(const HostRect& from, std::size_t device_pitch, const UploadKind& kind = {});

  /// Blocks are filled ahead if so many bytes are expected. For this job: until nothing more is.
  void fill_ahead_from(std::size_t bytes) { least_ahead_ = bytes; }

  /// Enqueues a copy of the rows to `to`, where they start at `offset` bytes and lie `device_pitch`
  /// >= the rows' length apart. `from` has been read when this returns. Flush the queue. The event
  /// belongs to the last block; when it has ended, so have all before. Null if there are no rows.
  /// \throws DeviceError.
  std::shared_ptr<const cl::Event> upload(const HostRect& from, const cl::Buffer& to,
                                          std::size_t offset, std::size_t device_pitch,
                                          const UploadKind& kind = {});

  /// Like upload(), of `rows` without gaps between them that `make` writes to a page-locked block,
  /// so that nothing is copied. \pre they fit in a block. \throws DeviceError, and what `make`
  /// does.
  std::shared_ptr<const cl::Event> upload_made(std::size_t rows, std::size_t row_bytes,
                                               const cl::Buffer& to, std::size_t offset,
                                               std::size_t device_pitch,
                                               const std::function<void(void*)>& make);

  /// Allocates every block, before the first transfer. \throws DeviceError.
  void reserve();

  /// Allocates memory for the values of so many blocks, and holds it from then on. False: it is not
  /// to be had.
  bool has_room_to_save(std::size_t blocks) noexcept;

  /// Waits for the running transfers. Expects nothing more. \throws DeviceError if an upload
  /// failed.
  void finish();
  /// Notes a copy that was enqueued from memory that is page-locked already, as if by upload().
  void note(std::shared_ptr<const cl::Event> sent);
  /// Checks the copies that have ended by now. Results of a product may come back although a copy
  /// has failed, since the driver decides what kernels do after that. Any thread may call it at any
  /// time. \throws DeviceError if a copy failed.
  void check_ended();

  /// Expects nothing more, and waits for the copies into blocks that were filled for it.
  void expect_nothing() noexcept;
  /// Drops what has failed, too. Call it after the queue was drained.
  void forget() noexcept;

  /// Values that were saved are no longer needed. \pre finish() or forget().
  void drop_saved() noexcept { saved_count_ = 0; }
  /// Writes them where they were uploaded from. \pre forget().
  void restore_saved() noexcept;

  /// Seconds that callers copied or waited for copies so far.
  double copy_seconds() const { return copy_seconds_; }

 private:
  enum class Use { none, filled, sent };
  struct Block {
    std::unique_ptr<PinnedMemory> memory;
    Use use = Use::none;
    std::uint64_t since = 0;  ///< an order of all changes
    CopyThreads::Started copy = CopyThreads::Started::ended;
    std::shared_ptr<const cl::Event> sent;  ///< empty: nothing is on its way from here
  };
  /// What is left of a rectangle whose rows are to lie `pitch` bytes apart in blocks.
  struct Rest {
    HostRect from;
    std::size_t pitch = 0;
    std::size_t done_of_row = 0;
    std::optional<TrianglePart> triangle = {};
    bool operator==(const Rest&) const = default;
  };
  /// What was copied into a block, the other way round.
  struct Saved {
    std::unique_ptr<PinnedMemory> memory;
    RowsCopy back;
  };
  static Rest rest_of(const HostRect& from, std::size_t device_pitch, const UploadKind& kind);
  static RowsCopy next_part(Rest& rest);
  Block& add_block();
  Block* oldest(Use use);
  bool is_any_free();
  Block& free_block();
  bool fills_ahead() const { return expected_bytes_ >= least_ahead_; }
  Block& unexpected_block();
  Block& copied(const RowsCopy& part);
  Block& next_filled();
  bool is_any_left() const { return rest_.from.rows > 0 || begun_ < expected_.size(); }
  void fill_next();
  void fill_ahead();
  void wait_for(Block& block);
  void note_sent(Block& block, cl::Event sent);
  void save(Block& block, const RowsCopy& part);

  const cl::Context& context_;
  cl::Queue& queue_;
  CopyThreads& threads_;
  const std::function<bool()> meanwhile_;
  std::vector<Block> blocks_;  ///< has room for all
  std::uint64_t changes_ = 0;
  std::deque<Rest> expected_;       ///< whole rectangles
  std::size_t expected_bytes_ = 0;  ///< since there were none
  std::size_t least_ahead_ = CopyThreads::least_bytes_ahead;
  std::size_t begun_ = 0;     ///< of expected_, which blocks are filled with
  Rest rest_;                 ///< of the last one that was begun
  std::vector<Saved> saved_;  ///< those that were saved, and behind them memory for others
  std::size_t saved_count_ = 0;
  std::mutex mutex_;
  /// Not checked yet, in the order in which they end.
  std::deque<std::shared_ptr<const cl::Event>> unasked_;
  double copy_seconds_ = 0;
};

}  // namespace duoblas
