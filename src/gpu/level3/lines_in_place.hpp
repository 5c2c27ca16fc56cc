// Results of a level-3 job that the device writes into the caller's memory. The old values are kept
// until the results are there.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "gpu/device/transfer_queues.hpp"
#include "gpu/product/product.hpp"
#include "memory/rows_in_place.hpp"
#include "os/page_block.hpp"

namespace duoblas {

/// The use of old values in lines that will be written.
enum class OldValues {
  useless,  ///< nobody reads them any more
  read,     ///< kernels still read them
  kept,     ///< kernels still read them, and undo() restores them
};

/// Belongs to one job. The caller holds the device's mutex.
class LinesInPlace {
 public:
  explicit LinesInPlace(TransferQueues& queues) : queues_(queues) {}

  /// Old values of lines, with rows without gaps in whole pages.
  using Kept = std::shared_ptr<const PageBlock>;

  /// Call it before the kernels that write `rows`, which the device has at `window`. Returns what
  /// was kept; null: nothing. \throws DeviceError, std::bad_alloc.
  Kept overwrite(const BoundOperand& window, const HostRect& rows, OldValues values);
  /// A copy of what the last overwrite() kept, which kernels may write until its rows are there.
  /// \pre it kept something. \throws std::bad_alloc.
  Kept copy_of_kept();
  /// Call it after these kernels, in the order of overwrite(). `done` is the last one's event; the
  /// `earlier` ones may fail without it. `*rows_done` becomes the number of rows when they are
  /// there.
  void expect(std::shared_ptr<const cl::Event> done, EarlierKernels earlier,
              std::size_t* rows_done);

  /// Handles one result that has arrived. False: there is none.
  bool advance();
  /// Waits for the oldest result that is expected. False: there is none.
  bool wait();
  /// Call it after a failure, when the device has ended everything. Restores old values of
  /// unfinished lines, if they were kept.
  void undo() noexcept;

 private:
  struct Written {
    RowsInPlace rows;
    HostRect host;
    Kept old, copy;
    std::shared_ptr<const cl::Event> done;  ///< null: not expected yet
    EarlierKernels earlier;
    std::size_t* rows_done = nullptr;
  };
  std::shared_ptr<PageBlock> memory_for(std::size_t bytes);
  void wait_for_oldest();

  TransferQueues& queues_;
  std::deque<Written> in_flight_;
  std::size_t expected_ = 0;  ///< of these
  std::vector<std::shared_ptr<PageBlock>> kept_;
};

}  // namespace duoblas
