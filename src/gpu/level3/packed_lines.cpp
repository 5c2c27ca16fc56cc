#include "gpu/level3/packed_lines.hpp"

#include <cstdint>

#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {

// A B in place has no other use for the device's own.
BoundOperand PackedLines::lines(const MultiplyStep& step, const BoundOperand& matrix,
                                EarlierKernels& kernels) {
  const bool is_a = step.b.matrix == Level3Matrix::a;
  std::shared_ptr<const cl::Buffer>& packed = is_a ? of_a_ : of_b_;
  if (packed == nullptr) {
    const std::size_t bytes = bytes_at_once(all_, kernel_, {false, false, false}).packed_b;
    ScratchBuffer& kept = is_a ? device_.scratch.packed_b : device_.scratch.b;
    packed = kept.at_least(device_.context, bytes);
    kernels.push_back(std::make_shared<cl::Event>(
        pack_ahead(device_, all_, kernel_, PackedFactor::b, matrix, packed)));
  }
  const std::int64_t line = step.b.row + step.b.column;  // one of them is 0
  BoundOperand lines;
  lines.buffer = packed;
  lines.offset_bytes = static_cast<std::size_t>(line * packed_depth_b(kernel_, all_.k)) *
                       element_size(all_.precision);
  return lines;
}

}  // namespace duoblas
