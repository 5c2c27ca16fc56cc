#include "check/spare_memory.hpp"

#include <mutex>
#include <utility>

#include "os/page_advice.hpp"

namespace duoblas {
namespace {

// Of blocks that hold on to their pages.
constexpr std::size_t most_held = std::size_t{32} << 20;

struct Spare {
  std::mutex mutex;
  std::unique_ptr<std::byte[]> block;
  std::size_t bytes = 0;
};

// That of small blocks, or of large ones. Never destroyed: threads may multiply until the very end.
Spare& spare(std::size_t bytes) {
  static Spare* const both = new Spare[2];
  return both[bytes > most_held ? 1 : 0];
}

}  // namespace

SpareMemory::SpareMemory(std::size_t bytes) : bytes_(bytes) {
  {
    Spare& kept = spare(bytes);
    // A fork in the middle may leave the lock locked in the child: that one goes without.
    const std::unique_lock lock(kept.mutex, std::try_to_lock);
    if (lock && kept.bytes >= bytes) {
      block_ = std::move(kept.block);
      bytes_ = std::exchange(kept.bytes, 0);
    }
  }
  if (block_) return;
  block_.reset(new std::byte[bytes]);
  if (bytes > most_held) want_large_pages(block_.get(), bytes);
}

SpareMemory::SpareMemory(SpareMemory&& other) noexcept
    : block_(std::move(other.block_)), bytes_(std::exchange(other.bytes_, 0)) {}

SpareMemory& SpareMemory::operator=(SpareMemory&& other) noexcept {
  give_back();
  block_ = std::move(other.block_);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

SpareMemory::~SpareMemory() {
  give_back();
}

void SpareMemory::give_back() noexcept {
  if (!block_ || bytes_ > most_bytes) return;
  Spare& kept = spare(bytes_);
  const std::unique_lock lock(kept.mutex, std::try_to_lock);
  if (!lock || kept.bytes >= bytes_) return;
  if (bytes_ > most_held && !free_large_pages(block_.get(), bytes_)) return;
  kept.block = std::move(block_);
  kept.bytes = std::exchange(bytes_, 0);
}

}  // namespace duoblas
