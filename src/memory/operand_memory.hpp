// The caller's matrices as the GPU sees them: wrapped where the driver shares, staged elsewhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "memory/host_memory.hpp"
#include "memory/host_windows.hpp"
#include "memory/landing_memory.hpp"
#include "memory/sharing_mode.hpp"
#include "memory/sharing_probe.hpp"
#include "opencl/handles.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// A buffer in which the operand's element (0, 0) is at `offset_bytes` and whose rows are
/// `pitch_bytes` apart. Operands over the same memory share one buffer.
struct BoundOperand {
  std::shared_ptr<const cl::Buffer> buffer;
  std::size_t offset_bytes = 0;
  std::size_t pitch_bytes = 0;
  SharingMode mode = SharingMode::staged;  ///< what was done, which may be less than was asked for
};

struct BoundInputs {
  BoundOperand a;
  BoundOperand b;
};

class OperandMemory;

/// The GPU's part of C. Movable; its OperandMemory outlives it.
class BoundResult {
 public:
  BoundResult(BoundResult&&) noexcept = default;
  BoundResult& operator=(BoundResult&&) noexcept = default;
  ~BoundResult();

  const BoundOperand& operand() const { return operand_; }
  /// After the kernel has finished: brings the result to the caller's memory. \throws DeviceError
  /// before the caller's memory was touched.
  void publish();
  /// After a failure, and after the queue was drained: gives the caller's C its old values back.
  /// Where beta == 0 they are not needed and nothing is done. Needs no device.
  void restore() noexcept;

 private:
  friend class OperandMemory;
  BoundResult(OperandMemory& memory, const HostRect& rect) : memory_(&memory), rect_(rect) {}

  OperandMemory* memory_;
  HostRect rect_;
  BoundOperand operand_;
  std::unique_ptr<LandingMemory> landing_;                                  ///< staged
  std::unique_ptr<void, decltype(&free_host)> saved_{nullptr, &free_host};  ///< host pointer
};

/// Binds operands for one device. Thread-safe.
class OperandMemory {
 public:
  /// Probes the driver. `context` and `queue` outlive this object.
  OperandMemory(const cl::Context& context, cl::Queue& queue);
  /// For a driver that was probed already.
  OperandMemory(const cl::Context& context, cl::Queue& queue, const SharingFacts& facts);

  const SharingFacts& facts() const { return facts_; }

  /// Binds C, before the inputs. `keep_old`: beta != 0, so the old values are read. Staged: C is
  /// copied to the device only then, and the caller's C is untouched until publish. Host pointer:
  /// wraps exactly [data, data + span), never a byte outside; where `keep_old` the old values are
  /// saved first, so that `restore` can undo a failed kernel. Staged all the same where the driver
  /// cannot share this window exactly. \throws DeviceError.
  BoundResult bind_result(const HostRect& c, SharingMode mode, bool keep_old);

  /// Binds the read-only operands. Host pointer: wraps the window of each, rounded to the driver's
  /// granularity, and one window for both where they overlap; an operand whose window touches a
  /// live result's or `written`, memory that the host writes meanwhile, or whose elements the
  /// kernel could not address, is staged. Staged: copies the rectangle to the device (blocking).
  /// \throws DeviceError.
  BoundInputs bind_inputs(const HostRect& a, const HostRect& b, SharingMode mode,
                          const HostRect& written = {});

  /// Bytes that the host copied since this was made: of operands and results, and of a C that is
  /// written in place, to be undone.
  struct HostCopies {
    std::uint64_t staged = 0, saved = 0;
  };
  HostCopies host_copies() const { return {staged_.load(), saved_bytes_.load()}; }

 private:
  friend class BoundResult;
  BoundOperand wrap_input(const HostRect& rect, const HostRect& written);
  BoundOperand stage_input(const HostRect& rect);
  void check_size(std::size_t bytes) const;

  const cl::Context& context_;
  cl::Queue& queue_;
  SharingFacts facts_;
  HostWindows windows_;
  LandingPool landings_;
  std::atomic<std::uint64_t> staged_{0}, saved_bytes_{0};
};

}  // namespace duoblas
