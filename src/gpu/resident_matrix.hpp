// A matrix of the caller's, of which the device keeps a copy for several products: what
// duoblas::Prepared has behind it.
//
// In: the caller's memory, which stays the caller's and unchanged. Out: operands on the device
// (ResidentOperands). It owns the copy and what kernels packed of it, and keeps the device open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <duoblas/types.hpp>

#include "kernel_space/kernel_params.hpp"
#include "memory/operand_memory.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

struct OpenedDevice;

/// A part of a matrix as a kernel's packing leaves it.
struct PackedForm {
  const void* first = nullptr;  ///< of the caller's elements
  std::int64_t extent = 0;      ///< rows of op(A), columns of op(B)
  std::int64_t depth = 0;
  Op op = Op::none;
  bool as_a = false;
  KernelParams kernel;
  friend bool operator==(const PackedForm&, const PackedForm&) = default;
};

/// Whether parts that a kernel packed stay for its next product, as far as there is room.
enum class PackedForms { kept, made_anew };

/// Made by GpuSide::make_resident. Lives on where that side is gone. Its memory on the device is
/// let go of with it, after the products that were submitted.
class ResidentMatrix {
 public:
  ~ResidentMatrix();
  ResidentMatrix(const ResidentMatrix&) = delete;
  ResidentMatrix& operator=(const ResidentMatrix&) = delete;

  bool is_on(const OpenedDevice& device) const { return device_.get() == &device; }
  /// On the device, what begins at `first` in the caller's matrix.
  BoundOperand from(const void* first) const;

  // Parts that were packed stay, too. The caller holds the device's mutex.

  /// Null: it was not packed so, or not kept.
  std::shared_ptr<const cl::Buffer> packed(const PackedForm& form) const;
  /// A buffer to pack into; null where these bytes would be too many.
  std::shared_ptr<const cl::Buffer> room_for_packed(std::size_t bytes) const noexcept;
  void keep_packed(const PackedForm& form, std::shared_ptr<const cl::Buffer> buffer,
                   std::size_t bytes) const;
  /// After a failure, when nothing is under way.
  void forget_packed() const noexcept;

 private:
  friend class GpuSide;
  ResidentMatrix(std::shared_ptr<OpenedDevice> device, const HostRect& host, PackedForms forms);

  std::shared_ptr<OpenedDevice> device_;  ///< outlives the buffer
  HostRect host_;
  PackedForms forms_;
  BoundOperand whole_;
  std::size_t bytes_ = 0;
  struct Kept {
    PackedForm form;
    std::shared_ptr<const cl::Buffer> buffer;
  };
  mutable std::vector<Kept> packed_;
  mutable std::size_t packed_bytes_ = 0;
};

/// Of a product's operands those that are, or are parts of, matrices on the device; null: it is the
/// caller's memory.
struct ResidentOperands {
  const ResidentMatrix* a = nullptr;
  const ResidentMatrix* b = nullptr;
};

}  // namespace duoblas
