// What the kernel is told, and asked, about pages of memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace duoblas {

/// Of this machine: 4 KiB on most, 16 or 64 KiB on some 64-bit Arm.
std::size_t page_bytes() noexcept;

/// Whether the page has memory; true if the kernel does not tell.
bool is_resident(const void* address) noexcept;

/// Gives new pages memory, as writing to them would. False: nothing was done.
bool populate_pages(const void* data, std::size_t bytes) noexcept;

/// Asks for large pages in this block. False: nothing was done.
bool want_large_pages(const void* block, std::size_t bytes) noexcept;
/// The contents of a block's large pages are no longer needed; the kernel takes them when memory is
/// short. False: nothing was done.
bool free_large_pages(const void* block, std::size_t bytes) noexcept;

}  // namespace duoblas
