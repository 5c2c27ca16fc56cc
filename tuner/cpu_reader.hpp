// Memory that a CPU's cores read as fast as they can.
//
// What McCalpin's STREAM does, but for the writing: gemv reads A and writes next to nothing, and a
// write's rate depends on whether lines are read before they are written. (J. D. McCalpin, Memory
// bandwidth and machine balance in current high performance computers, IEEE TCCA newsletter, 1995.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "opencl/wait_deadline.hpp"
#include "tuner/side_cores.hpp"

namespace duoblas {

/// Bytes that no cache holds: four times the last-level caches of all packages, 256 MiB at least
/// and 1 GiB at most, and no more than an eighth of the machine's memory.
std::size_t bytes_beyond_caches();

/// Numbers on pages of their own, on which a device may work too.
class ReadMemory {
 public:
  /// Fills them, each part by the thread that reads it later. \throws std::bad_alloc,
  /// std::system_error where there is no thread to be had.
  ReadMemory(std::size_t bytes, const SideCores& side);

  std::uint32_t* numbers() const { return numbers_.get(); }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(std::uint32_t); }
  /// What numbers first ... first + count add up to, modulo 2^32.
  static std::uint32_t sum(std::size_t first, std::size_t count);

 private:
  struct Freed {
    void operator()(std::uint32_t* numbers) const noexcept;
  };
  std::unique_ptr<std::uint32_t, Freed> numbers_;
  std::size_t count_;
};

/// Bytes a second of all threads, which read numbers first ... first + count, each a part, over and
/// over: from when all have begun until `meanwhile`, in the calling thread, returns or throws.
/// \throws std::system_error where there is no thread to be had.
double cpu_reading_rate(const ReadMemory& memory, std::size_t first, std::size_t count,
                        const SideCores& side, const std::function<void()>& meanwhile);

}  // namespace duoblas
