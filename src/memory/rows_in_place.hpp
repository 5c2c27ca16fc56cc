// How the host gets to see rows of C that the device writes in the caller's own memory.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "memory/bound_operand.hpp"
#include "opencl/handles.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// OpenCL promises that the contents of a buffer made of the host's memory appear there after a
/// map, no sooner. A driver may have made a copy without telling, and for one kind of memory only.
/// So each result is checked.
///
/// Some of its elements are remembered before the kernel runs. If all of them have changed when it
/// has ended, the driver has no copy of this memory, since only the device can have changed them.
/// Otherwise the rows are read from the buffer to where they belong. The standard allows that, and
/// it touches nothing between them. If device and host are not coherent, some elements prove
/// nothing about others; there C has no gaps, and is mapped.
class RowsInPlace {
 public:
  /// Call it before the kernel is enqueued. `window` holds `rows` from its offset on.
  /// `overwritten`: the old values are not needed any more, so some are changed here. `coherent`:
  /// as in SharingFacts; if false, the rows have no gaps.
  RowsInPlace(const BoundOperand& window, const HostRect& rows, bool overwritten, bool coherent);

  /// Call it after the kernel was enqueued. \throws DeviceError.
  void expect(cl::Queue& queue);
  /// Call it after the kernel has ended. Afterwards the caller's memory holds the results. Returns
  /// the number of bytes that were copied for that. \throws DeviceError.
  std::size_t arrive(cl::Queue& queue);
  /// Instead, once nothing is running: what was changed here, and not by the device, is as before.
  void restore() noexcept;

 private:
  /// At most so many rows are sampled, from the first to the last.
  static constexpr std::size_t most_samples = 8;
  struct Sample {
    char* at = nullptr;
    std::array<char, 16> before{};
  };
  bool has_changed(const Sample& sample) const;
  void turn_bits(const Sample& sample) const;

  BoundOperand window_;
  HostRect rows_;
  bool overwritten_, coherent_;
  std::size_t samples_count_ = 0;
  std::array<Sample, most_samples> samples_;
  std::optional<cl::Event> shown_;
};

}  // namespace duoblas
