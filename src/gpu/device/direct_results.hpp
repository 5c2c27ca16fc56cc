// Results that the device itself brings to the caller's memory, block after block: kernels write
// them in place, and the old values of a block are saved until its results are there; or it
// transfers them to memory that is page-locked.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/device/earlier_kernels.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "memory/rows_in_place.hpp"
#include "os/page_block.hpp"

namespace duoblas {

/// The use of old values in lines that will be written.
enum class OldValues {
  useless,  ///< nobody reads them any more
  read,     ///< kernels still read them
  saved,    ///< kernels still read them, and undo() restores them
};

/// One job's. The caller holds the device's mutex.
class DirectResults {
 public:
  /// While one block of lines is written the next one waits for the device, and the values of a
  /// third are saved.
  static constexpr std::size_t blocks_at_once = 3;

  /// Memory of its own is for `most_saved` blocks' old values.
  explicit DirectResults(TransferQueues& queues, std::size_t most_saved = blocks_at_once)
      : queues_(queues), most_saved_(most_saved) {}
  /// Their old values come to `memory`, which has room for blocks_at_once blocks of `block_bytes`.
  DirectResults(TransferQueues& queues, void* memory, std::size_t block_bytes);

  /// Old values of lines, with rows without gaps; in memory of its own they begin with a page.
  using Saved = std::shared_ptr<const std::byte>;

  /// Call it before the kernels that write `rows`, which the device has at `window`. Returns what
  /// was saved; null: nothing. \throws DeviceError, std::bad_alloc.
  Saved overwrite(const BoundOperand& window, const HostRect& rows, OldValues values);
  /// A copy of what the last overwrite() saved, which kernels may write until its rows are there.
  /// \pre it saved something. \throws std::bad_alloc.
  Saved copy_of_saved();
  /// Call it after these kernels, in the order of overwrite(). `done` is the last one's event; the
  /// `earlier` ones may fail without it. `*rows_done`, if given, becomes the number of rows when
  /// they are there. `admit`, if given, is called before that, and throws if they do not count.
  void expect(std::shared_ptr<const cl::Event> done, EarlierKernels earlier,
              std::size_t* rows_done = nullptr, std::function<void()> admit = {});

  /// Instead of overwrite() and expect(): starts a transfer of these rows behind `done` to
  /// page-locked memory. Returns its event. \throws DeviceError.
  std::shared_ptr<const cl::Event> send_for(const BoundOperand& from, const HostRect& to,
                                            std::shared_ptr<const cl::Event> done,
                                            EarlierKernels earlier, std::size_t* rows_done);
  /// Handles one result that has arrived. False: there is none. \throws DeviceError if its transfer
  /// failed, or a command before it.
  bool advance();
  /// Waits for the oldest result that is expected. False: there is none.
  bool wait();
  /// How many blocks are there.
  std::size_t arrived() const { return arrived_; }
  /// Call it after a failure, when the device has ended everything. Restores old values of
  /// unfinished lines, if they were saved; else what was changed here.
  void undo() noexcept;

 private:
  struct Written {
    std::optional<RowsInPlace> rows;  ///< nothing: they are transferred
    HostRect host;
    Saved old, copy;
    std::shared_ptr<const cl::Event> transferred;
    std::shared_ptr<const cl::Event> done;  ///< null: not expected yet
    EarlierKernels earlier;
    std::size_t* rows_done = nullptr;
    std::function<void()> admit;
  };
  struct Block {
    std::shared_ptr<std::byte> memory;
    std::size_t bytes = 0;
  };
  static Block block_of(std::size_t bytes);
  std::shared_ptr<std::byte> memory_for(std::size_t bytes);
  void wait_for_oldest();

  TransferQueues& queues_;
  std::deque<Written> in_flight_;
  std::size_t expected_ = 0;  ///< of these
  std::size_t arrived_ = 0;
  const std::size_t most_saved_;
  std::vector<Block> saved_;
};

}  // namespace duoblas
