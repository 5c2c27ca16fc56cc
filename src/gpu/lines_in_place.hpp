// Results of a level-3 job that the device writes where the caller has them: what they were before
// is kept until they are there.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "gpu/product.hpp"
#include "gpu/transfer_queues.hpp"
#include "memory/page_block.hpp"
#include "memory/rows_in_place.hpp"

namespace duoblas {

/// What was in lines that are about to be written.
enum class OldValues {
  useless,  ///< nobody reads them any more
  read,     ///< kernels still do
  kept,     ///< the same, and undo() gives them back
};

/// One job's. The caller has the device's mutex.
class LinesInPlace {
 public:
  explicit LinesInPlace(TransferQueues& queues) : queues_(queues) {}

  /// What lines held, rows without gaps in whole pages.
  using Kept = std::shared_ptr<const PageBlock>;

  /// Before the kernels that write `rows`, which the device has at `window`. Gives what was kept;
  /// null: nothing. \throws DeviceError, std::bad_alloc.
  Kept overwrite(const BoundOperand& window, const HostRect& rows, OldValues values);
  /// A copy of what the last overwrite() kept, for kernels to write until its rows are there. \pre
  /// it kept something. \throws std::bad_alloc.
  Kept copy_of_kept();
  /// After them, in the order of overwrite(): `done` is the last one's, and `earlier` may have
  /// failed without it. `*rows_done` becomes the number of rows when they are there.
  void expect(std::shared_ptr<const cl::Event> done, EarlierKernels earlier,
              std::size_t* rows_done);

  /// Sees to one result that is there. False: none is.
  bool advance();
  /// Waits for all that is expected.
  void finish();
  /// After a failure, when the device has ended all: what is not there holds its old values, where
  /// those were kept.
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
  std::deque<Written> under_way_;
  std::size_t expected_ = 0;  ///< of these
  std::vector<std::shared_ptr<PageBlock>> kept_;
};

}  // namespace duoblas
