// The library's own host memory: page-aligned, and registered (registered_memory.hpp), so that it
// can be shared.
#pragma once

#include <cstddef>
#include <memory>

#include "os/hung_driver.hpp"

namespace duoblas {

/// Page-aligned and padded to whole pages. nullptr if memory is short or bytes is 0.
/// Never starts OpenCL. Thread-safe.
void* allocate_host(std::size_t bytes) noexcept;
void free_host(void* memory) noexcept;

/// Frees such memory, unless the driver hangs: the device may still use it then.
struct FreedUnlessHung {
  void operator()(void* memory) const noexcept {
    if (!driver_hangs()) free_host(memory);
  }
};
using HostBlock = std::unique_ptr<void, FreedUnlessHung>;

}  // namespace duoblas
