// The device's copy of a caller's matrix, which is kept for several products: the implementation of
// duoblas::Prepared.
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

class OpenedDevice;

/// A part of a matrix, packed for a kernel.
struct PackedForm {
  const void* first = nullptr;  ///< of the caller's elements
  std::int64_t extent = 0;      ///< rows of op(A), columns of op(B)
  std::int64_t depth = 0;
  Op op = Op::none;
  bool as_a = false;
  KernelParams kernel;
  friend bool operator==(const PackedForm&, const PackedForm&) = default;
};

/// Whether packed parts stay for the kernel's next product, if there is room.
enum class PackedForms { kept, made_anew };

/// Made by GpuSide::make_resident, which it may outlive. Its device memory is freed with it, after
/// the submitted products.
class ResidentMatrix {
 public:
  /// Copies the matrix. \throws DeviceError.
  static std::shared_ptr<const ResidentMatrix> make(std::shared_ptr<OpenedDevice> device,
                                                    const HostRect& host, PackedForms forms);
  ~ResidentMatrix();
  ResidentMatrix(const ResidentMatrix&) = delete;
  ResidentMatrix& operator=(const ResidentMatrix&) = delete;

  bool is_on(const OpenedDevice& device) const { return device_.get() == &device; }
  /// The place on the device of the part that begins at `first` in the caller's matrix.
  BoundOperand from(const void* first) const;

  // Packed parts are kept, too. The caller holds the device's mutex.

  /// Null: this form was not packed, or not kept.
  std::shared_ptr<const cl::Buffer> packed(const PackedForm& form) const;
  /// A buffer to pack into; null if so many bytes would be too many.
  std::shared_ptr<const cl::Buffer> room_for_packed(const PackedForm& form,
                                                    std::size_t bytes) const noexcept;
  void keep_packed(const PackedForm& form, std::shared_ptr<const cl::Buffer> buffer,
                   std::size_t bytes) const;
  /// Call it after a failure, when nothing is running.
  void forget_packed() const noexcept;

 private:
  ResidentMatrix(std::shared_ptr<OpenedDevice> device, const HostRect& host, PackedForms forms);

  std::shared_ptr<OpenedDevice> device_;  ///< outlives the buffer
  HostRect host_;
  PackedForms forms_;
  BoundOperand whole_;
  std::size_t bytes_ = 0;
  struct Packed {
    PackedForm form;
    std::shared_ptr<const cl::Buffer> buffer;
  };
  mutable std::vector<Packed> packed_;
  mutable std::size_t packed_bytes_ = 0;
};

/// The operands of a product that are on the device, as resident matrices or parts of them; null:
/// the operand is only in the caller's memory.
struct ResidentOperands {
  const ResidentMatrix* a = nullptr;
  const ResidentMatrix* b = nullptr;
};

}  // namespace duoblas
