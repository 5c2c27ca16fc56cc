// How the host comes to see rows of C that the device writes in the caller's own memory.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "memory/bound_operand.hpp"
#include "opencl/handles.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// OpenCL promises that a buffer made of the host's memory shows there after a map, no sooner: a
/// driver may have made a copy, without a word, and of one kind of memory only. So each result is
/// looked at. Some of its elements are remembered before the kernel runs. Where all of them have
/// changed when it has ended, nobody but the device can have done that, and the driver has no copy
/// of this memory. Else the rows are read from the buffer to where they belong, which the standard
/// allows, and which touches nothing between them. Where device and host are not coherent, elements
/// that are seen say nothing of others: there C has no gaps, and is mapped.
class RowsInPlace {
 public:
  /// Before the kernel is enqueued. `window` holds `rows` from its offset on. `overwritten`: their
  /// values are not needed any more, so that some are changed here. `coherent`: as SharingFacts has
  /// it; else the rows have no gaps.
  RowsInPlace(const BoundOperand& window, const HostRect& rows, bool overwritten, bool coherent);

  /// After the kernel was enqueued. \throws DeviceError.
  void expect(cl::Queue& queue);
  /// After the kernel has ended: the caller's memory holds its results. Gives the number of bytes
  /// that were copied for that. \throws DeviceError.
  std::size_t arrive(cl::Queue& queue);

 private:
  /// As many rows are looked at, from the first to the last.
  static constexpr std::size_t most_samples = 8;
  struct Sample {
    char* at = nullptr;
    std::array<char, 16> before{};
  };
  bool has_changed(const Sample& sample) const;

  BoundOperand window_;
  HostRect rows_;
  bool coherent_;
  std::size_t samples_count_ = 0;
  std::array<Sample, most_samples> samples_;
  std::optional<cl::Event> shown_;
};

}  // namespace duoblas
