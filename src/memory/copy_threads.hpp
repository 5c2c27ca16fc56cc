// Copies between host memory and host memory, by several threads: one core reads and writes far
// less than the bus to a discrete GPU carries.
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

/// Threads that sleep between jobs, and for the short time between two copies of one job do not.
/// While they are put aside by others' threads the caller's copies alone. One caller at a time.
class CopyThreads {
 public:
  /// `helpers` threads beside the caller's; fewer where no more can be had.
  explicit CopyThreads(int helpers);
  ~CopyThreads();

  /// Returns when everything is copied.
  void copy(const RowsCopy& rows);

  /// Other work of the same threads: `piece(0)` to `piece(count - 1)`, which do not depend on each
  /// other. Allocates nothing. \pre they throw nothing.
  template <typename Piece>
  void share(std::size_t count, const Piece& piece) {
    share(count,
          Work{[](const void* of, std::size_t number) { (*static_cast<const Piece*>(of))(number); },
               &piece});
  }

  /// That were copied so far.
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
