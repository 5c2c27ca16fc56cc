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

  /// That were copied so far.
  std::uint64_t bytes() const { return bytes_; }

 private:
  void copy_together(const RowsCopy& rows, std::size_t bytes);

  struct State;
  std::unique_ptr<State> state_;
  std::uint64_t bytes_ = 0;
  CopyPace pace_;
};

}  // namespace duoblas
