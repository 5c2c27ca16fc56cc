// The place of an operand in the device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "opencl/handles.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

/// A buffer in which the operand's element (0, 0) is at `offset_bytes` and whose rows are
/// `pitch_bytes` apart. Operands over the same memory share one buffer.
struct BoundOperand {
  std::shared_ptr<const cl::Buffer> buffer;
  std::size_t offset_bytes = 0;
  std::size_t pitch_bytes = 0;
  /// The mode in effect, which may be less than was asked for.
  SharingMode mode = SharingMode::staged;
};

/// A vector in a buffer: element 0 is `offset_bytes` behind its start.
struct BoundVector {
  std::shared_ptr<const cl::Buffer> buffer;
  std::size_t offset_bytes = 0;
  std::int64_t increment = 1;
};

/// The vector that begins `elements` elements further on, of `element` bytes each.
inline BoundVector shifted(const BoundVector& whole, std::int64_t elements, std::size_t element) {
  BoundVector part = whole;
  part.offset_bytes =
      static_cast<std::size_t>(static_cast<std::int64_t>(whole.offset_bytes) +
                               elements * whole.increment * static_cast<std::int64_t>(element));
  return part;
}

/// The operand that begins so many lines and elements further on.
inline BoundOperand shifted(const BoundOperand& whole, std::int64_t lines, std::int64_t elements,
                            std::size_t element) {
  BoundOperand part = whole;
  part.offset_bytes += static_cast<std::size_t>(lines) * whole.pitch_bytes +
                       static_cast<std::size_t>(elements) * element;
  return part;
}

struct BoundInputs {
  BoundOperand a;
  BoundOperand b;
};

}  // namespace duoblas
