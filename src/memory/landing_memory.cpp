#include "memory/landing_memory.hpp"

#include <utility>

#include <duoblas/error.hpp>

namespace duoblas {

LandingMemory::LandingMemory(const cl::Context& context, cl::Queue& queue, std::size_t bytes)
    : queue_(queue),
      buffer_(context.allocate_host(bytes, cl::Access::read_write)),
      mapped_(queue.map(buffer_, cl::Access::read_write, bytes)),
      bytes_(bytes) {}

LandingMemory::~LandingMemory() {
  try {
    queue_.unmap(buffer_, mapped_);
  } catch (const DeviceError&) {
    // The release that follows takes the mapping with it.
  }
}

std::unique_ptr<LandingMemory> LandingPool::take(const cl::Context& context, cl::Queue& queue,
                                                 std::size_t bytes) {
  std::unique_ptr<LandingMemory> spare;
  {
    const std::lock_guard guard(mutex_);
    spare = std::move(spare_);
  }
  if (spare && spare->bytes() >= bytes) return spare;
  spare.reset();
  return std::make_unique<LandingMemory>(context, queue, bytes);
}

void LandingPool::give_back(std::unique_ptr<LandingMemory> memory) noexcept {
  if (!memory) return;
  const std::lock_guard guard(mutex_);
  if (!spare_ || spare_->bytes() < memory->bytes()) std::swap(spare_, memory);
}

}  // namespace duoblas
