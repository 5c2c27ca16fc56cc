// Where the operands of a random call lie: kinds of memory, arrangements, and gaps that must stay.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "soak/soak_call.hpp"

namespace duoblas::soak {

/// Memory of one home that grows, and is used by one call after another.
class MemoryBlock {
 public:
  explicit MemoryBlock(Home home) : home_(home) {}
  ~MemoryBlock();
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;

  /// This many bytes, which begin at a 64-byte boundary. What was there before is gone.
  std::span<std::byte> reserve(std::size_t bytes);
  /// Writing ends the process until it is let again. Of mapped files only.
  void forbid_writing(bool forbidden);

 private:
  void free();

  Home home_;
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
};

/// A matrix as the routine gets it: lines are rows or columns, as the layout has it.
struct Place {
  std::byte* first = nullptr;
  std::int64_t lines = 0, length = 0, ld = 1;
};

/// The operands of one call, and all the memory around them.
struct PlacedOperands {
  std::array<Place, 3> place;                ///< A, B, C
  std::vector<std::span<std::byte>> memory;  ///< gaps and margins included; no part twice
  std::vector<MemoryBlock*> only_read;       ///< hold nothing that the call writes
};

/// Of one thread.
class CallMemory {
 public:
  CallMemory();
  /// Lasts until the next call. All bytes are those of a NaN.
  PlacedOperands place(const SoakCall& call);

 private:
  MemoryBlock& block(Home home, std::size_t operand);

  std::vector<std::unique_ptr<MemoryBlock>> blocks_;
};

}  // namespace duoblas::soak
