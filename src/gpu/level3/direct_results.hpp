// Results that the device itself writes to the caller's page-locked memory.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "gpu/device/transfer_queues.hpp"
#include "gpu/product/product.hpp"
#include "memory/bound_operand.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// Those of one job. The caller holds the device's mutex.
class DirectResults {
 public:
  explicit DirectResults(TransferQueues& queues) : queues_(queues) {}

  /// Starts the transfer after `done`. Commands of `earlier` may have failed without `done`
  /// failing. `*rows_done` is set to the number of rows when they have arrived. \throws
  /// DeviceError.
  void send_for(const BoundOperand& from, const HostRect& to, std::shared_ptr<const cl::Event> done,
                EarlierKernels earlier, std::size_t* rows_done);
  /// Handles one result that has arrived. False: none has. \throws DeviceError if its transfer
  /// failed, or a command before it.
  bool advance();
  /// Waits for all transfers.
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
  std::deque<Download> in_flight_;
};

}  // namespace duoblas
