// Copies of data that the CPU does not read soon.
#pragma once

#include <cstddef>

namespace duoblas {

/// memcpy() by non-temporal stores, where the processor has them: lines of the destination are
/// neither read before they are written nor kept in a cache, where a device would have to look.
void copy_past_caches(void* to, const void* from, std::size_t bytes);

/// A store fence: who sees what this thread writes later sees these copies, too.
void end_copies_past_caches();

}  // namespace duoblas
