#include "check/kept_memory.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <utility>

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

// What the kernel is told of a large block's pages. Small pages are marked one by one: with large
// ones 64 MiB are there again in 2 ms, where new pages take 26 (a Xeon of model 167).
bool advise(const std::byte* block, std::size_t bytes, int advice) {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto first = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t begin = (first + page - 1) / page * page,
                       end = (first + bytes) / page * page;
  return ::madvise(reinterpret_cast<void*>(begin), end - begin, advice) == 0;
}

}  // namespace

KeptMemory::KeptMemory(std::size_t bytes) : bytes_(bytes) {
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
  if (bytes > most_held) advise(block_.get(), bytes, MADV_HUGEPAGE);
}

KeptMemory::KeptMemory(KeptMemory&& other) noexcept
    : block_(std::move(other.block_)), bytes_(std::exchange(other.bytes_, 0)) {}

KeptMemory& KeptMemory::operator=(KeptMemory&& other) noexcept {
  give_back();
  block_ = std::move(other.block_);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

KeptMemory::~KeptMemory() {
  give_back();
}

void KeptMemory::give_back() noexcept {
  if (!block_ || bytes_ > most_bytes) return;
  Spare& kept = spare(bytes_);
  const std::unique_lock lock(kept.mutex, std::try_to_lock);
  if (!lock || kept.bytes >= bytes_) return;
  if (bytes_ > most_held && !advise(block_.get(), bytes_, MADV_FREE)) return;
  kept.block = std::move(block_);
  kept.bytes = std::exchange(bytes_, 0);
}

}  // namespace duoblas
