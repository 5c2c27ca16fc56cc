#include "os/mapped_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "os/files.hpp"

namespace duoblas {

std::shared_ptr<char> map_memory(std::size_t bytes, Mapping mapping, int file) {
  const int protection = mapping == Mapping::read_only ? PROT_READ : PROT_READ | PROT_WRITE;
  const int flags = (mapping == Mapping::of_this_process ? MAP_PRIVATE : MAP_SHARED) |
                    (file < 0 ? MAP_ANONYMOUS : 0);
  void* const data = ::mmap(nullptr, bytes, protection, flags, file, 0);
  if (data == MAP_FAILED) return nullptr;
  return {static_cast<char*>(data), [bytes](char* memory) { ::munmap(memory, bytes); }};
}

int make_memory_file_of(std::size_t bytes) noexcept {
  const int file = make_memory_file("duoblas");
  if (file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  if (file >= 0) ::close(file);
  return -1;
}

}  // namespace duoblas
