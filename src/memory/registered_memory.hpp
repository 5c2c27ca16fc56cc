// Host memory whose owner leaves it where it is until he says otherwise: what a device has
// page-locked of it once may stay so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "opencl/handles.hpp"

namespace duoblas {

/// allocate_host's, or memory of the program's that it gave to duoblas_register.
enum class BlockOwner { library, program };

/// Makes [memory, memory + bytes) known. False: it overlaps a block that is known already.
/// Never starts OpenCL. \throws std::bad_alloc.
bool enter_block(const void* memory, std::size_t bytes, BlockOwner owner);
/// Forgets the block that starts there, after whoever uses it now, and lets go of its page locks.
/// False: there is none of this owner.
bool leave_block(const void* memory, BlockOwner owner) noexcept;

/// The size of the block that holds [p, p + bytes), or 0 where none does. Thread-safe, as all here.
std::size_t registered_block_of(const void* p, std::size_t bytes) noexcept;
inline bool is_registered(const void* p, std::size_t bytes) noexcept {
  return registered_block_of(p, bytes) > 0;
}

struct RegisteredBlock;

/// Memory that stays, and stays page-locked for one device, as long as this lives.
class LockedUse {
 public:
  LockedUse() = default;
  LockedUse(LockedUse&&) noexcept = default;
  LockedUse& operator=(LockedUse&& other) noexcept;
  ~LockedUse();
  explicit operator bool() const { return block_ != nullptr; }

 private:
  friend class PageLocks;
  explicit LockedUse(std::shared_ptr<RegisteredBlock> block) : block_(std::move(block)) {}
  std::shared_ptr<RegisteredBlock> block_;
};

/// What one device has page-locked. A block is locked at its first use (the driver does that to
/// memory that it is handed with CL_MEM_USE_HOST_PTR) and stays so until it is left.
class PageLocks {
 public:
  /// `context` outlives this object.
  explicit PageLocks(const cl::Context& context) : context_(context) {}
  ~PageLocks();
  PageLocks(const PageLocks&) = delete;
  PageLocks& operator=(const PageLocks&) = delete;

  /// [p, p + bytes), if it lies in one registered block that the driver does not refuse to lock;
  /// else empty. One caller at a time.
  LockedUse hold(const void* p, std::size_t bytes);

 private:
  const cl::Context& context_;
};

}  // namespace duoblas
