// Copies within host memory by several threads: one core reads and writes far less than the bus to
// a discrete GPU carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "memory/copy_pace.hpp"

namespace duoblas {

/// `rows` runs of `row_bytes` bytes, whose starts lie `from_pitch` and `to_pitch` bytes apart.
struct RowsCopy {
  void* to = nullptr;
  std::size_t to_pitch = 0;
  const void* from = nullptr;
  std::size_t from_pitch = 0;
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
};

/// Threads that sleep between jobs, but not in the short time between two copies of one job. While
/// other threads keep them from running, the caller's thread copies alone. One caller at a time.
class CopyThreads {
 public:
  /// `helpers` threads beside the caller's; fewer if no more can be started.
  explicit CopyThreads(int helpers);
  ~CopyThreads();

  /// Returns when everything is copied.
  void copy(const RowsCopy& rows);

  /// Runs other work on the same threads: `piece(0)` to `piece(count - 1)`, which are independent
  /// of each other. Allocates nothing. \pre they throw nothing.
  template <typename Piece>
  void share(std::size_t count, const Piece& piece) {
    share(count,
          Work{[](const void* of, std::size_t number) { (*static_cast<const Piece*>(of))(number); },
               &piece});
  }

  /// Bytes copied so far.
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Work {
    void (*piece)(const void* of, std::size_t number) = nullptr;
    const void* of = nullptr;
  };
  void share(std::size_t count, const Work& work);
  void do_together(std::size_t count, const Work& work);

  struct State;
  std::unique_ptr<State> state_;
  std::uint64_t bytes_ = 0;
  CopyPace pace_;
};

}  // namespace duoblas
