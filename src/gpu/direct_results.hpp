// Results that the device writes to page-locked memory of the caller's by itself.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "gpu/product.hpp"
#include "gpu/transfer_queues.hpp"
#include "memory/bound_operand.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// One job's. The caller has the device's mutex.
class DirectResults {
 public:
  explicit DirectResults(TransferQueues& queues) : queues_(queues) {}

  /// After `done`, behind which `earlier` may have failed without it. `*rows_done` becomes the
  /// number of rows when they are there. \throws DeviceError.
  void send_for(const BoundOperand& from, const HostRect& to, std::shared_ptr<const cl::Event> done,
                EarlierKernels earlier, std::size_t* rows_done);
  /// Sees to one result that is there. False: none is. \throws DeviceError where it, or what it was
  /// to come after, failed.
  bool advance();
  /// Waits for all that was sent for.
  void finish();

 private:
  struct Download {
    std::shared_ptr<const cl::Event> arrived, after;
    EarlierKernels earlier;
    std::size_t rows = 0;
    std::size_t* rows_done = nullptr;
  };
  void wait_for_oldest();

  TransferQueues& queues_;
  std::deque<Download> under_way_;
};

}  // namespace duoblas
