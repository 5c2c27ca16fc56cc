// A copy of rows of the caller's memory, which a thread makes beside other work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "check/kept_memory.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// For one caller. The rows do not change until wait_for() says so.
class KeptRows {
 public:
  /// More are not worth it: a program may need the memory.
  static constexpr std::size_t most_bytes = KeptMemory::most_bytes;

  /// Begins with the last rows. If no thread can be started, wait_for() makes the copy. \throws
  /// std::bad_alloc.
  explicit KeptRows(const HostRect& rows);
  /// Waits for the thread, which begins nothing more.
  ~KeptRows();
  KeptRows(const KeptRows&) = delete;
  KeptRows& operator=(const KeptRows&) = delete;

  /// Returns when the rows from this one on are copied. The caller's thread helps.
  void wait_for(std::size_t first_row);

  /// The copy, without gaps between rows.
  void* data() const { return memory_.data(); }
  std::size_t row_bytes() const { return rows_.row_bytes; }

 private:
  /// Rows `first` to `end` - 1.
  struct Piece {
    std::size_t first = 0, end = 0;
  };
  Piece take();
  void copy(const Piece& piece) const;
  void serve() noexcept;

  const HostRect rows_;
  const std::size_t rows_at_once_;
  const KeptMemory memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t left_;       ///< rows before this one, which nobody has begun
  Piece under_way_{0, 0};  ///< of the thread
  std::thread thread_;
};

}  // namespace duoblas
