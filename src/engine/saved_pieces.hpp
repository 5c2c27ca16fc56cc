// A copy of some of the caller's memory, which a thread makes piece by piece beside other work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

#include "check/spare_memory.hpp"

namespace duoblas {

/// For one caller. What is copied does not change until wait_for() says so.
class SavedPieces {
 public:
  /// More are not worth it: a program may need the memory.
  static constexpr std::size_t most_bytes = SpareMemory::most_bytes;

  /// Memory for so many bytes, and a thread that begins with piece 0. `copy` copies a piece to
  /// data() by keep(), and throws nothing; several threads call it, for a piece each. If no thread
  /// can be started, wait_for() makes the copy. \throws std::bad_alloc.
  SavedPieces(std::size_t bytes, std::size_t pieces, std::function<void(std::size_t)> copy);
  /// Waits for the thread, which begins nothing more.
  ~SavedPieces();
  SavedPieces(const SavedPieces&) = delete;
  SavedPieces& operator=(const SavedPieces&) = delete;

  /// Returns when the pieces before this one are copied. The calling thread helps. Several threads
  /// may call it at once: the pieces are there when all of them have returned.
  void wait_for(std::size_t piece);

  void* data() const { return memory_.data(); }
  /// Copies some bytes of a piece, to so many bytes behind data().
  void keep(std::size_t at, const void* from, std::size_t bytes) const;

 private:
  void serve() noexcept;
  void copy(std::size_t piece) const;

  const SpareMemory memory_;
  const std::function<void(std::size_t)> copy_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t end_;
  std::size_t next_ = 0;   ///< which nobody has begun
  std::size_t under_way_;  ///< of the thread; end_: none
  std::thread thread_;
};

}  // namespace duoblas
