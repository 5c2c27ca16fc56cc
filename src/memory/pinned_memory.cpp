#include "memory/pinned_memory.hpp"

#include <utility>

namespace duoblas {

PinnedMemory::PinnedMemory(const cl::Context& context, cl::Queue& queue, std::size_t bytes)
    : buffer_(context.allocate_host(bytes, cl::Access::read_write)),
      mapping_(queue, buffer_, cl::Access::read_write, bytes),
      bytes_(bytes) {}

std::unique_ptr<PinnedMemory> PinnedMemoryPool::take(const cl::Context& context, cl::Queue& queue,
                                                     std::size_t bytes) {
  std::unique_ptr<PinnedMemory> spare;
  {
    const std::lock_guard guard(mutex_);
    spare = std::move(spare_);
  }
  if (spare && spare->bytes() >= bytes) return spare;
  spare.reset();
  return std::make_unique<PinnedMemory>(context, queue, bytes);
}

void PinnedMemoryPool::give_back(std::unique_ptr<PinnedMemory> memory) noexcept {
  if (!memory) return;
  const std::lock_guard guard(mutex_);
  if (!spare_ || spare_->bytes() < memory->bytes()) std::swap(spare_, memory);
}

}  // namespace duoblas
