// Matrices of few numbers that take up hundreds of GB of addresses.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace duoblas::test {

/// Rows of a few elements that are `ld` elements apart. Only what is touched takes memory.
template <typename T>
class FarRows {
 public:
  FarRows(std::int64_t rows, std::int64_t columns, std::int64_t ld)
      : bytes_(static_cast<std::size_t>((rows - 1) * ld + columns) * sizeof(T)),
        memory_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  FarRows(const FarRows&) = delete;
  FarRows& operator=(const FarRows&) = delete;
  ~FarRows() {
    if (is_there()) ::munmap(memory_, bytes_);
  }
  /// False: the process has not so many addresses.
  bool is_there() const { return memory_ != MAP_FAILED; }
  T* data() { return static_cast<T*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace duoblas::test
