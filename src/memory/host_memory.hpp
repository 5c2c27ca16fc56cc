// The library's own host memory: page-aligned, and known, so that it can be shared.
#pragma once

#include <cstddef>

namespace duoblas {

/// Page-aligned and padded to whole pages (4096 bytes). nullptr where memory is short or bytes is
/// 0. Never starts OpenCL. Thread-safe.
void* allocate_host(std::size_t bytes) noexcept;
void free_host(void* memory) noexcept;

/// The size of the allocate_host block that holds [p, p + bytes), or 0 where none does.
std::size_t host_block_of(const void* p, std::size_t bytes) noexcept;

}  // namespace duoblas
