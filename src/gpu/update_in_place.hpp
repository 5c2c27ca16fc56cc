// A large update (ger, axpy) of memory that host and device share, in pieces: of each the old
// values are kept before the device writes it, and no longer than until it has. So little is kept
// that it stays in the caches and needs no fresh pages, and the device reads there what the host
// has just copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <vector>

#include "check/kept_memory.hpp"
#include "gpu/opened_device.hpp"
#include "memory/copy_threads.hpp"
#include "memory/rows_in_place.hpp"
#include "problem/cut.hpp"
#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

/// Bytes that are kept of a piece, or those of what the device updates at once.
inline constexpr std::size_t update_piece_bytes = std::size_t{2} << 20;

/// Of updates of no more than this all old values are kept at once.
inline constexpr std::size_t most_kept_at_once = 3 * update_piece_bytes;

/// What is updated. The functions live as long as the update; launch() has the device's mutex.
struct UpdatedMemory {
  std::int64_t outputs = 0;
  std::int64_t unit = 1;            ///< outputs that the device updates at once
  std::size_t bytes_of_output = 0;  ///< that are updated
  std::function<HostRect(Interval)> rows;
  std::function<BoundOperand(Interval)> operand;  ///< those rows, as the device has them
  std::function<cl::Event(Interval)> launch;
};

/// Outputs of a piece: whole units.
std::int64_t outputs_of_piece(const UpdatedMemory& updated);

/// What came of it.
struct UpdateEnd {
  double seconds = 0;          ///< from its start to the end of the last piece
  std::int64_t done = 0;       ///< outputs, from the first one on; the others have their old values
  std::exception_ptr failure;  ///< null: all are done
};

class UpdateInPlace {
 public:
  /// Allocates. \throws std::bad_alloc.
  UpdateInPlace(OpenedDevice& device, CopyThreads& copiers, UpdatedMemory updated);

  /// Does it all, and takes the device's mutex for that time. Nothing is under way afterwards.
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
  std::deque<Piece> under_way_;
  std::int64_t done_ = 0;
};

}  // namespace duoblas
