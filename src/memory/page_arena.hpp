// Memory of the library's own that a device uses where it is, in pieces that begin with a page, and
// that serves job after job.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "os/page_block.hpp"

namespace duoblas {

/// One block that serves job after job: new pages cost as much as a copy to them.
class PageArena {
 public:
  /// Begins anew, with room for pieces of so many bytes in whole pages. \pre nobody uses earlier
  /// ones. \throws std::bad_alloc.
  void begin(std::size_t bytes) {
    if (block_.bytes() < bytes) grow(bytes);
    used_ = 0;
  }
  /// \throws std::bad_alloc where there is no room left.
  std::byte* take(std::size_t bytes) {
    const std::size_t whole = in_whole_pages(bytes);
    if (whole > block_.bytes() - used_) throw std::bad_alloc();
    std::byte* const piece = block_.data() + used_;
    used_ += whole;
    return piece;
  }

 private:
  // With room for a job that has a little more, as the next one may have: the device's share
  // follows the sides' times. Pages that nobody writes to take no memory.
  void grow(std::size_t bytes) {
    block_ = {};
    try {
      block_ = PageBlock(bytes + bytes / 4);
    } catch (const std::bad_alloc&) {
      block_ = PageBlock(bytes);
    }
  }

  PageBlock block_;
  std::size_t used_ = 0;
};

/// A diagonal block of a level-3 job: rows without gaps.
using DenseBlock = std::vector<std::byte, PageAllocator<std::byte>>;

/// Recycles their memory, whose pages are mapped already: with new ones each dsyrk of 4096 had
/// 4,104 page faults.
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
