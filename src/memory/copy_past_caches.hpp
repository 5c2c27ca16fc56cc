// Copies of what nobody reads soon, or only a device.
#pragma once

#include <cstddef>

namespace duoblas {

/// memcpy() that leaves caches as they are: the lines that it writes are not read first, and none
/// of them is in a core's cache, where a device would have to look for it.
void copy_past_caches(void* to, const void* from, std::size_t bytes);

/// Who sees what this thread writes from now on sees what it copied so, too.
void end_copies_past_caches();

}  // namespace duoblas
