#include "memory/host_memory.hpp"

#include <pthread.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <new>

namespace duoblas {
namespace {

constexpr std::size_t page = 4096;
// No object is larger than the differences of its addresses.
constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() - page;

struct Registry {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> blocks;  // start -> padded size
};

// Never destroyed: blocks may be freed by the static destructors of the program. The initialiser's
// guard could be copied locked by a fork within these few instructions of the process's first
// allocation; that window is left.
Registry& registry() {
  static Registry* const once = [] {
    auto* made = new Registry;
    // A child must not inherit the mutex in another thread's hands. It is only ever held for a
    // look into the map, so waiting for it here is short.
    pthread_atfork([] { registry().mutex.lock(); }, [] { registry().mutex.unlock(); },
                   [] { registry().mutex.unlock(); });
    return made;
  }();
  return *once;
}

}  // namespace

void* allocate_host(std::size_t bytes) noexcept {
  if (bytes == 0 || bytes > most) return nullptr;
  const std::size_t padded = (bytes + page - 1) / page * page;
  void* memory = std::aligned_alloc(page, padded);
  if (memory == nullptr) return nullptr;
  try {
    Registry& known = registry();
    const std::lock_guard guard(known.mutex);
    known.blocks.emplace(reinterpret_cast<std::uintptr_t>(memory), padded);
  } catch (const std::bad_alloc&) {
    std::free(memory);
    return nullptr;
  }
  return memory;
}

void free_host(void* memory) noexcept {
  if (memory == nullptr) return;
  {
    Registry& known = registry();
    const std::lock_guard guard(known.mutex);
    known.blocks.erase(reinterpret_cast<std::uintptr_t>(memory));
  }
  std::free(memory);
}

std::size_t host_block_of(const void* p, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(p);
  Registry& known = registry();
  const std::lock_guard guard(known.mutex);
  auto after = known.blocks.upper_bound(begin);
  if (after == known.blocks.begin()) return 0;
  const auto& [start, size] = *--after;
  const std::size_t into = begin - start;
  return into < size && bytes <= size - into ? size : 0;
}

}  // namespace duoblas
