// The library's own host memory that a device can use in place.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "os/hung_driver.hpp"
#include "os/page_advice.hpp"

namespace duoblas {

/// So many bytes, rounded up to whole pages.
inline std::size_t in_whole_pages(std::size_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}
/// Memory that begins at a page; for std::free(). Null: there is none left.
inline void* allocate_pages(std::size_t bytes) noexcept {
  return std::aligned_alloc(page_bytes(), in_whole_pages(bytes));
}

/// Keeps the memory if a device hangs, which may use it later.
inline void free_pages(void* memory) noexcept {
  if (!driver_hangs()) std::free(memory);
}

/// For containers whose memory begins and ends at a page, so that every driver that shares memory
/// shares it.
template <typename T>
struct PageAllocator {
  using value_type = T;

  PageAllocator() = default;
  template <typename U>
  PageAllocator(const PageAllocator<U>&) noexcept {}  // NOLINT: the standard's conversion

  T* allocate(std::size_t count) {
    void* const memory = allocate_pages(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { free_pages(memory); }

  template <typename U>
  bool operator==(const PageAllocator<U>&) const noexcept {
    return true;
  }
};

/// The same, uninitialised.
class PageBlock {
 public:
  PageBlock() = default;
  /// \throws std::bad_alloc.
  explicit PageBlock(std::size_t bytes) : bytes_(in_whole_pages(bytes)) {
    if (bytes_ == 0) return;
    memory_.reset(static_cast<std::byte*>(allocate_pages(bytes_)));
    if (!memory_) throw std::bad_alloc();
  }
  std::byte* data() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }  ///< whole pages

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { free_pages(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace duoblas
