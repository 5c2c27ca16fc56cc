// Memory for what C was, of which a process keeps one block for the next check: fresh pages cost
// as much as the copy (docs/results/h200.md).
#pragma once

#include <cstddef>
#include <memory>

namespace duoblas {

/// Uninitialised. Given back at its end; the last block of 32 MiB at most stays for who comes next,
/// for the life of the process. Thread-safe.
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
