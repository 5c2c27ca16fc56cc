// Memory for old values of matrices. A process keeps a small and a large block for the next user,
// because fresh pages cost as much as the copy (docs/results/h200.md), or five times that
// (docs/experiments/factorisations-in-place.md).
#pragma once

#include <cstddef>
#include <memory>

namespace duoblas {

/// Uninitialised. Freed by the destructor, which keeps the last block of at most 32 MiB for the
/// next user, for the life of the process, and also the last one of more than that and at most
/// `most_bytes`. The kernel may take the latter's pages whenever it is short of memory.
/// Thread-safe.
class SpareMemory {
 public:
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;

  SpareMemory() = default;
  /// \throws std::bad_alloc.
  explicit SpareMemory(std::size_t bytes);
  SpareMemory(SpareMemory&& other) noexcept;
  SpareMemory& operator=(SpareMemory&& other) noexcept;
  ~SpareMemory();

  void* data() const { return block_.get(); }
  bool empty() const { return block_ == nullptr; }

 private:
  void give_back() noexcept;

  std::unique_ptr<std::byte[]> block_;
  std::size_t bytes_ = 0;
};

}  // namespace duoblas
