// Copies of data that the CPU does not read soon.
#pragma once

#include <cstddef>

namespace duoblas {

/// memcpy() with non-temporal stores, if the processor has them. Destination lines are neither read
/// before they are written nor kept in a cache, so a device need not snoop for them.
void copy_past_caches(void* to, const void* from, std::size_t bytes);

/// A store fence: other threads and devices see these copies before they see anything that this
/// thread writes later.
void end_copies_past_caches();

}  // namespace duoblas
