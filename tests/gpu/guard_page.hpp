// Memory with an unreadable page right behind it: a read past the end ends the process.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <stdexcept>

namespace duoblas::test {

/// `count` elements that end where a page without access begins.
template <typename T>
class GuardedArray {
 public:
  explicit GuardedArray(std::size_t count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
    mapped_bytes_ = bytes + 2 * page;
    mapped_ =
        mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::runtime_error("mmap failed");
    auto* const start = static_cast<std::byte*>(mapped_);
    mprotect(start, page, PROT_NONE);
    mprotect(start + page + bytes, page, PROT_NONE);
    data_ = reinterpret_cast<T*>(start + page + bytes) - count;
  }
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  ~GuardedArray() { munmap(mapped_, mapped_bytes_); }

  T* data() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  T* data_ = nullptr;
};

}  // namespace duoblas::test
