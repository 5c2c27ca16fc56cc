#include "memory/host_memory.hpp"

#include <cstdlib>
#include <limits>
#include <new>

#include "memory/registered_memory.hpp"

namespace duoblas {
namespace {

constexpr std::size_t page = 4096;
// No object is larger than the largest difference of addresses.
constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() - page;

}  // namespace

void* allocate_host(std::size_t bytes) noexcept {
  if (bytes == 0 || bytes > most) return nullptr;
  const std::size_t padded = (bytes + page - 1) / page * page;
  void* memory = std::aligned_alloc(page, padded);
  if (memory == nullptr) return nullptr;
  try {
    // If the program has freed memory without unregistering it, the new block stays unregistered.
    enter_block(memory, padded, BlockOwner::library);
  } catch (const std::bad_alloc&) {
    std::free(memory);
    return nullptr;
  }
  return memory;
}

void free_host(void* memory) noexcept {
  if (memory == nullptr) return;
  leave_block(memory, BlockOwner::library);
  std::free(memory);
}

}  // namespace duoblas
