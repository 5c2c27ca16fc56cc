// Memory for the old values of C. A process keeps one block for the next check, because fresh pages
// cost as much as the copy (docs/results/h200.md).
#pragma once

#include <cstddef>
#include <memory>

namespace duoblas {

/// Uninitialised. Freed by the destructor, which keeps the last block of at most 32 MiB for the
/// next user, for the life of the process. Thread-safe.
class KeptMemory {
 public:
  KeptMemory() = default;
  /// \throws std::bad_alloc.
  explicit KeptMemory(std::size_t bytes);
  KeptMemory(KeptMemory&& other) noexcept;
  KeptMemory& operator=(KeptMemory&& other) noexcept;
  ~KeptMemory();

  void* data() const { return block_.get(); }
  bool empty() const { return block_ == nullptr; }

 private:
  void give_back() noexcept;

  std::unique_ptr<std::byte[]> block_;
  std::size_t bytes_ = 0;
};

}  // namespace duoblas
