// Memory that both sides can share.
#ifndef DUOBLAS_BUFFER_HPP
#define DUOBLAS_BUFFER_HPP

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>

#include <duoblas/duoblas.h>

namespace duoblas {

/// An array of `size` elements of T in page-aligned memory, zero-initialised. It is zero-copy if
/// the driver can share it, and registered (registration.hpp) for devices with memory of their own.
/// Move-only; allocating does not start OpenCL.
template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "a matrix holds plain numbers");

 public:
  Buffer() = default;
  /// \throws std::bad_alloc
  explicit Buffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T*>(duoblas_malloc(size * sizeof(T)));
    if (data_ == nullptr) throw std::bad_alloc();
    for (std::size_t i = 0; i < size; ++i) ::new (static_cast<void*>(data_ + i)) T{};
  }
  Buffer(Buffer&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      duoblas_free(data_);
      data_ = other.data_;
      size_ = other.size_;
      other.data_ = nullptr;
      other.size_ = 0;
    }
    return *this;
  }
  ~Buffer() { duoblas_free(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace duoblas

#endif
