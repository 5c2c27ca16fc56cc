#include "memory/host_memory.hpp"

#include <cstdlib>
#include <limits>
#include <new>

#include "memory/registered_memory.hpp"
#include "os/page_block.hpp"

namespace duoblas {
namespace {

// No object is larger than the largest difference of addresses. Far below it, whatever a page is.
constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / 2;

}  // namespace

void* allocate_host(std::size_t bytes) noexcept {
  if (bytes == 0 || bytes > most) return nullptr;
  const std::size_t padded = in_whole_pages(bytes);
  void* memory = allocate_pages(padded);
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
