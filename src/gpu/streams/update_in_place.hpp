// A large update (ger, axpy) of memory that host and device share, in pieces. The old values of a
// piece are kept only while the device writes it. That is so little that it stays in the caches and
// needs no fresh pages, and the device finds there what the host has just copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <vector>

#include "check/kept_memory.hpp"
#include "gpu/device/opened_device.hpp"
#include "memory/copy_threads.hpp"
#include "memory/rows_in_place.hpp"
#include "problem/host_rect.hpp"
#include "problem/partition.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

/// The size of a piece; more if the device updates more at once.
inline constexpr std::size_t update_piece_bytes = std::size_t{2} << 20;

/// Up to this size all old values of an update are kept at once.
inline constexpr std::size_t most_kept_at_once = 3 * update_piece_bytes;

/// The memory to update. The functions live as long as the update; launch() is called with the
/// device's mutex held.
struct UpdatedMemory {
  std::int64_t outputs = 0;
  std::int64_t unit = 1;            ///< outputs that the device updates at once
  std::size_t bytes_of_output = 0;  ///< bytes updated per output
  std::function<HostRect(Interval)> rows;
  std::function<BoundOperand(Interval)> operand;  ///< these rows, as the device sees them
  std::function<cl::Event(Interval)> launch;
};

/// Outputs of a piece: whole units.
std::int64_t outputs_of_piece(const UpdatedMemory& updated);

/// The result of an update.
struct UpdateEnd {
  double seconds = 0;          ///< from its start to the end of the last piece
  std::int64_t done = 0;       ///< outputs, from the first one on; the others have their old values
  std::exception_ptr failure;  ///< null: all are done
};

class UpdateInPlace {
 public:
  /// Allocates. \throws std::bad_alloc.
  UpdateInPlace(OpenedDevice& device, CopyThreads& copiers, UpdatedMemory updated);

  /// Does everything, and holds the device's mutex meanwhile. Nothing is running afterwards.
  UpdateEnd run() noexcept;

 private:
  struct Piece {
    Interval outputs;
    char* old = nullptr;
    RowsInPlace rows;
    cl::Event done;
  };

  void enqueue(Interval outputs);
  void wait_for_oldest();
  void restore(const Piece& piece) noexcept;

  OpenedDevice& device_;
  CopyThreads& copiers_;
  const UpdatedMemory updated_;
  const std::int64_t each_;
  const Stopwatch watch_;
  KeptMemory kept_;
  std::vector<char*> spare_;  ///< parts of it
  std::deque<Piece> in_flight_;
  std::int64_t done_ = 0;
};

/// Starts an update of memory that the device reaches, on the pipeline's thread. The memory must
/// live until the future is ready. The caller holds the device's mutex, which the update then takes
/// until it ends. \throws DeviceError, std::bad_alloc.
std::future<UpdateEnd> start_update(OpenedDevice& device, UpdatedMemory updated);

}  // namespace duoblas
