// Blocks of host memory of every kind that programs have: heap, pages, files.
#include "cli/selftest/guarded_product.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "os/files.hpp"
#include "os/mapped_memory.hpp"

namespace duoblas::cli::selftest {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error("cannot " + what + ": " + std::strerror(errno));
}

std::shared_ptr<char> mapped(std::size_t bytes, Mapping mapping, int file) {
  auto block = map_memory(bytes, mapping, file);
  if (!block) fail("map memory");
  return block;
}

std::shared_ptr<char> block_of_file(MemoryKind kind, std::span<const char> values) {
  std::string path = (std::filesystem::temp_directory_path() / "duoblas-XXXXXX").string();
  const FileDescriptor file(make_temporary_file(path));
  if (file.get() < 0) fail("make a temporary file");
  FileDescriptor reader(-1);
  if (kind == MemoryKind::file_read_only) reader = FileDescriptor(open_file(path, Opened::to_read));
  remove_file(path);
  if (!write_all(file.get(), values.data(), values.size())) fail("write a temporary file");
  if (kind == MemoryKind::file_read_only)
    return mapped(values.size(), Mapping::read_only, reader.get());
  return mapped(values.size(),
                kind == MemoryKind::file_private ? Mapping::of_this_process : Mapping::shared,
                file.get());
}

std::shared_ptr<char> mapped_block(MemoryKind kind, std::span<const char> values) {
  int file = -1;
  if (kind == MemoryKind::memory_file) {
    file = make_memory_file_of(values.size());
    if (file < 0) fail("make a file in memory");
  }
  const FileDescriptor owned(file);
  auto block =
      mapped(values.size(), kind == MemoryKind::pages ? Mapping::of_this_process : Mapping::shared,
             owned.get());
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
