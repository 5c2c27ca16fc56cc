// The caller's matrices as the GPU sees them: wrapped where the driver shares, staged elsewhere.
//
//   bind C, then A and B ─> begin ─> kernels ─> expect ─> (they end) ─> publish, or restore
//
// In: rectangles of host memory. Out: BoundOperand (buffer, offset, pitch) for kernels. Wrapping
// copies nothing; staging copies to buffers of the device. The host memory stays the caller's and
// must live until publish() or restore(); buffers and windows belong to the bound operands.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "memory/bound_operand.hpp"
#include "memory/host_memory.hpp"
#include "memory/host_windows.hpp"
#include "memory/pinned_memory.hpp"
#include "memory/rows_in_place.hpp"
#include "memory/sharing_probe.hpp"
#include "opencl/handles.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

class OperandMemory;

/// The GPU's part of C. Movable; its OperandMemory outlives it.
class BoundResult {
 public:
  BoundResult(BoundResult&&) noexcept = default;
  BoundResult& operator=(BoundResult&&) noexcept = default;
  ~BoundResult();

  const BoundOperand& operand() const { return operand_; }
  /// Call it before the kernels are enqueued. `keep_old`: beta != 0, so the old values are read,
  /// and `restore` must be able to bring them back. Staged: copies them to the device. \throws
  /// DeviceError.
  void begin(bool keep_old);
  /// The same for a result that several launches write. In place, keep_next() keeps the old values
  /// of rows before the launch that writes them. Staged, as by begin(). \throws DeviceError.
  void begin_by_rows(bool keep_old);
  void keep_next(std::size_t rows);
  /// Call it after the kernels were enqueued. \throws DeviceError.
  void expect();
  /// Call it after the kernels have finished: brings the result to the caller's memory. \throws
  /// DeviceError; if staged, before the caller's memory was touched.
  void publish();
  /// Restores the old values of the caller's C after a failure, once the queue was drained. If beta
  /// == 0 they are not needed, and it does nothing. Needs no device.
  void restore() noexcept;

 private:
  friend class OperandMemory;
  BoundResult(OperandMemory& memory, const HostRect& rect) : memory_(&memory), rect_(rect) {}

  OperandMemory* memory_;
  HostRect rect_;
  BoundOperand operand_;
  std::unique_ptr<PinnedMemory> pinned_;                                    ///< staged
  std::shared_ptr<const HostWindow> window_;                                ///< host pointer
  std::unique_ptr<void, decltype(&free_host)> saved_{nullptr, &free_host};  ///< the same
  std::size_t saved_rows_ = 0;
  std::optional<RowsInPlace> rows_;  ///< the same
};

/// Binds operands for one device. Thread-safe.
class OperandMemory {
 public:
  /// Probes the driver. `context` and `queue` outlive this object.
  OperandMemory(const cl::Context& context, cl::Queue& queue);
  /// For a driver that was probed already.
  OperandMemory(const cl::Context& context, cl::Queue& queue, const SharingFacts& facts);

  const SharingFacts& facts() const { return facts_; }

  /// Binds C in place, before the inputs. It wraps exactly [data, data + span), never a byte
  /// outside; `inputs` that lie between C's rows use the same window. Nothing if the driver cannot
  /// share exactly that; if the window would overlap `written`, memory that the host writes
  /// meanwhile; or if C has gaps and others must not write there beside this device.
  std::optional<BoundResult> result_in_place(const HostRect& c,
                                             std::span<const HostRect> inputs = {},
                                             std::span<const HostRect> written = {});
  /// C in the device's memory. The caller's C is untouched until publish(). \throws DeviceError.
  BoundResult staged_result(const HostRect& c);

  /// The read-only operands in place: in C's window, or in a window of their own, rounded to the
  /// driver's granularity; one window for both if they overlap. An operand stays without a buffer
  /// if its window would overlap another window or `written`, or if the kernel could not address
  /// its elements.
  BoundInputs inputs_in_place(const HostRect& a, const HostRect& b, const BoundResult* c,
                              std::span<const HostRect> written = {});
  /// Copies the rectangle to the device (blocking), with rows `pitch` bytes apart. \pre pitch >=
  /// rect.row_bytes. \throws DeviceError.
  BoundOperand staged_input(const HostRect& rect, std::size_t pitch);

  /// Bytes that the host has copied since this was made: operands and results, and the old values
  /// of a C that is written in place.
  struct HostCopies {
    std::uint64_t staged = 0, saved = 0;
  };
  HostCopies host_copies() const { return {staged_.load(), saved_bytes_.load()}; }
  /// Counts results in place that others copied to the host (RowsInPlace::arrive).
  void count_staged(std::size_t bytes) { staged_ += bytes; }

 private:
  friend class BoundResult;
  std::shared_ptr<const HostWindow> window_of(const HostRect& rect,
                                              std::span<const HostRect> written);
  bool is_too_large(std::size_t bytes) const;
  void check_size(std::size_t bytes) const;

  const cl::Context& context_;
  cl::Queue& queue_;
  SharingFacts facts_;
  HostWindows windows_;
  PinnedMemoryPool pinned_pool_;
  std::atomic<std::uint64_t> staged_{0}, saved_bytes_{0};
};

}  // namespace duoblas
