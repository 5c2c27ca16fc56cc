// Blocks of the kinds of memory that programs keep matrices in.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

namespace duoblas::test {

enum class MemoryKind { anonymous, shared_file, private_file, memfd, dev_shm, anonymous_shared };
inline constexpr MemoryKind memory_kinds[] = {
    MemoryKind::anonymous, MemoryKind::shared_file, MemoryKind::private_file,
    MemoryKind::memfd,     MemoryKind::dev_shm,     MemoryKind::anonymous_shared};

/// Whole pages of zeros, mapped for reading and writing.
class MemoryBlock {
 public:
  MemoryBlock(MemoryKind kind, std::size_t bytes) : bytes_((bytes + 4095) / 4096 * 4096) {
    const bool has_file = kind != MemoryKind::anonymous && kind != MemoryKind::anonymous_shared;
    const int file = has_file ? open_file(kind) : -1;
    if (has_file && ::ftruncate(file, static_cast<off_t>(bytes_)) != 0)
      throw std::runtime_error("no room for a file of the test");
    const bool is_private = kind == MemoryKind::anonymous || kind == MemoryKind::private_file;
    data_ =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
               (is_private ? MAP_PRIVATE : MAP_SHARED) | (has_file ? 0 : MAP_ANONYMOUS), file, 0);
    if (file >= 0) ::close(file);
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;
  ~MemoryBlock() { ::munmap(data_, bytes_); }

  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void forbid_writing() { ::mprotect(data_, bytes_, PROT_READ); }

 private:
  static int open_file(MemoryKind kind) {
    if (kind == MemoryKind::memfd) return ::memfd_create("duoblas-test", MFD_CLOEXEC);
    std::string path = kind == MemoryKind::dev_shm ? "/dev/shm" : "/tmp";
    path += "/duoblas-test-XXXXXX";
    const int file = ::mkstemp(path.data());
    if (file >= 0) ::unlink(path.c_str());
    return file;
  }

  std::size_t bytes_;
  void* data_ = nullptr;
};

}  // namespace duoblas::test
