// Blocks of host memory of every kind that programs have: heap, pages, files.
#include "cli/selftest/guarded_product.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "os/file_descriptor.hpp"

namespace duoblas::cli::selftest {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error("cannot " + what + ": " + std::strerror(errno));
}

std::shared_ptr<char> mapped(std::size_t bytes, int protection, int flags, int file) {
  void* const data = mmap(nullptr, bytes, protection, flags, file, 0);
  if (data == MAP_FAILED) fail("map memory");
  return {static_cast<char*>(data), [bytes](char* memory) { munmap(memory, bytes); }};
}

void write_all(int file, std::span<const char> values) {
  while (!values.empty()) {
    const ssize_t put = write(file, values.data(), values.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) fail("write a temporary file");
    values = values.subspan(static_cast<std::size_t>(put));
  }
}

std::shared_ptr<char> block_of_file(MemoryKind kind, std::span<const char> values) {
  std::string path = (std::filesystem::temp_directory_path() / "duoblas-XXXXXX").string();
  const FileDescriptor file(mkstemp(path.data()));
  if (file.get() < 0) fail("make a temporary file");
  FileDescriptor reader(-1);
  if (kind == MemoryKind::file_read_only) reader = FileDescriptor(open(path.c_str(), O_RDONLY));
  unlink(path.c_str());
  write_all(file.get(), values);
  if (kind == MemoryKind::file_read_only)
    return mapped(values.size(), PROT_READ, MAP_SHARED, reader.get());
  return mapped(values.size(), PROT_READ | PROT_WRITE,
                kind == MemoryKind::file_private ? MAP_PRIVATE : MAP_SHARED, file.get());
}

std::shared_ptr<char> mapped_block(MemoryKind kind, std::span<const char> values) {
  int file = -1;
  int flags = kind == MemoryKind::pages ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  if (kind == MemoryKind::shared_pages) flags |= MAP_ANONYMOUS;
  if (kind == MemoryKind::memory_file) {
    file = memfd_create("matrix", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(values.size())) != 0)
      fail("make a file in memory");
  }
  const FileDescriptor owned(file);
  auto block = mapped(values.size(), PROT_READ | PROT_WRITE, flags, owned.get());
  std::memcpy(block.get(), values.data(), values.size());
  return block;
}

}  // namespace

std::string_view name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::heap: return "heap";
    case MemoryKind::pages: return "pages";
    case MemoryKind::shared_pages: return "shared pages";
    case MemoryKind::memory_file: return "file in memory";
    case MemoryKind::file_private: return "file on disk, private";
    case MemoryKind::file_shared: return "file on disk, shared";
    case MemoryKind::file_read_only: return "file on disk, read-only";
  }
  return "heap";
}

std::shared_ptr<char> make_block(MemoryKind kind, std::span<const char> values) {
  switch (kind) {
    case MemoryKind::heap: {
      const auto copy = std::make_shared<std::vector<char>>(values.begin(), values.end());
      return {copy, copy->data()};
    }
    case MemoryKind::pages:
    case MemoryKind::shared_pages:
    case MemoryKind::memory_file: return mapped_block(kind, values);
    default: return block_of_file(kind, values);
  }
}

}  // namespace duoblas::cli::selftest
