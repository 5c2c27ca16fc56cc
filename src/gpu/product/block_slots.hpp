// Places on the device for blocks of one operand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "opencl/handles.hpp"

namespace duoblas {

struct BlockSlot {
  std::size_t offset = 0;  ///< in the operand's buffer
  std::int64_t block = -1;
  std::int64_t last_step = -1;  ///< the last step that used it
  /// Must have ended before another block is written here.
  std::shared_ptr<const cl::Event> in_use;
};

class BlockSlots {
 public:
  BlockSlots(int count, std::size_t slot_bytes) : slots_(static_cast<std::size_t>(count)) {
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].offset = i * slot_bytes;
  }

  /// The slot that holds the block, or else the least recently used one.
  BlockSlot& slot_for(std::int64_t block) {
    const auto held = std::ranges::find(slots_, block, &BlockSlot::block);
    return held != slots_.end() ? *held
                                : *std::ranges::min_element(slots_, {}, &BlockSlot::last_step);
  }

 private:
  std::vector<BlockSlot> slots_;
};

}  // namespace duoblas
