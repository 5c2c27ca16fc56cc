// Host memory that its owner leaves in place until further notice. Pages that a device has locked
// there may stay locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "opencl/handles.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// Memory of allocate_host, or the program's own memory, given to duoblas_register.
enum class BlockOwner { library, program };

/// Registers [memory, memory + bytes). False: it overlaps a registered block. Never starts OpenCL.
/// \throws std::bad_alloc.
bool enter_block(const void* memory, std::size_t bytes, BlockOwner owner);
/// Forgets the block that starts there and unlocks its pages, after its present users have ended.
/// False: this owner has no such block.
bool leave_block(const void* memory, BlockOwner owner) noexcept;

/// The size of the block that contains [p, p + bytes), or 0 if none does. Thread-safe, like all
/// here.
std::size_t registered_block_of(const void* p, std::size_t bytes) noexcept;
inline bool is_registered(const void* p, std::size_t bytes) noexcept {
  return registered_block_of(p, bytes) > 0;
}
/// A number that changes whenever a block is entered or left; 0: none ever was. Takes no lock.
std::uint64_t registrations() noexcept;
/// Whether one of these is.
bool any_is_registered(std::initializer_list<HostRect> rects) noexcept;

struct RegisteredBlock;

/// Memory that stays registered, and page-locked for one device, as long as this object lives.
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

/// The pages that one device has locked. The program's blocks are locked at their first use; the
/// driver does it when it gets memory with CL_MEM_USE_HOST_PTR. The library's own blocks are locked
/// at their second use, because locking takes longer than a product, and many blocks are used once.
/// Blocks stay locked until they are left.
class PageLocks {
 public:
  /// `context` outlives this object.
  explicit PageLocks(const cl::Context& context) : context_(context) {}
  ~PageLocks();
  PageLocks(const PageLocks&) = delete;
  PageLocks& operator=(const PageLocks&) = delete;

  /// Locks [p, p + bytes), if it lies in one registered block and the driver does not refuse; else
  /// empty. One caller at a time.
  LockedUse hold(const void* p, std::size_t bytes);

 private:
  const cl::Context& context_;
};

}  // namespace duoblas
