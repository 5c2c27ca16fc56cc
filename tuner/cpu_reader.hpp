// Measures how fast a CPU's cores read memory.
//
// As McCalpin's STREAM, without the writing: gemv reads A and writes very little, and a write's
// rate depends on whether lines are read before they are written. (J. D. McCalpin, Memory bandwidth
// and machine balance in current high performance computers, IEEE TCCA newsletter, 1995.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "opencl/wait_deadline.hpp"
#include "tuner/side_cores.hpp"

namespace duoblas {

/// A size that no cache holds: four times the last-level caches of all packages, at least 256 MiB
/// and at most 1 GiB, and at most an eighth of the machine's memory.
std::size_t bytes_beyond_caches();

/// Numbers in whole pages, which a device may use too.
class ReadMemory {
 public:
  /// Fills them; each thread fills the part that it reads later. \throws std::bad_alloc,
  /// std::system_error if a thread cannot be started.
  ReadMemory(std::size_t bytes, const SideCores& side);

  std::uint32_t* numbers() const { return numbers_.get(); }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(std::uint32_t); }
  /// The sum of numbers first ... first + count, modulo 2^32.
  static std::uint32_t sum(std::size_t first, std::size_t count);

 private:
  struct Freed {
    void operator()(std::uint32_t* numbers) const noexcept;
  };
  std::unique_ptr<std::uint32_t, Freed> numbers_;
  std::size_t count_;
};

/// Bytes a second of all threads together. Each reads its part of numbers first ... first + count
/// over and over, from when all have begun until `meanwhile`, in the calling thread, returns or
/// throws. \throws std::system_error if a thread cannot be started.
double cpu_reading_rate(const ReadMemory& memory, std::size_t first, std::size_t count,
                        const SideCores& side, const std::function<void()>& meanwhile);

}  // namespace duoblas
