// The kinds of host memory that programs pass to a BLAS.
#pragma once

#include <memory>
#include <span>
#include <string_view>

namespace duoblas::cli::selftest {

enum class MemoryKind {
  heap,            ///< malloc
  pages,           ///< whole pages, anonymous
  shared_pages,    ///< the same, MAP_SHARED
  memory_file,     ///< a file in memory, MAP_SHARED: /dev/shm
  file_private,    ///< of a file on disk, MAP_PRIVATE: copy on write
  file_shared,     ///< of a file on disk, MAP_SHARED: np.memmap
  file_read_only,  ///< the same, that may not be written: for A and B
};

std::string_view name(MemoryKind kind);

/// The kind of C's memory beside operands of this kind.
constexpr MemoryKind writable(MemoryKind kind) {
  return kind == MemoryKind::file_read_only ? MemoryKind::file_shared : kind;
}

class HostBlock {
 public:
  virtual ~HostBlock() = default;
  virtual char* data() const = 0;
};

/// Holds a copy of `values`. \throws Error where the system has no such memory.
std::unique_ptr<HostBlock> make_block(MemoryKind kind, std::span<const char> values);

}  // namespace duoblas::cli::selftest
