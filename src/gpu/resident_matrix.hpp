// A matrix of the caller's, of which the device keeps a copy for several products.
#pragma once

#include <memory>

#include "memory/operand_memory.hpp"

namespace duoblas {

struct OpenedDevice;

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

 private:
  friend class GpuSide;
  ResidentMatrix(std::shared_ptr<OpenedDevice> device, const HostRect& host);

  std::shared_ptr<OpenedDevice> device_;  ///< outlives the buffer
  HostRect host_;
  BoundOperand whole_;
  std::size_t bytes_ = 0;
};

/// Of a product's operands those that are, or are parts of, matrices on the device; null: it is the
/// caller's memory.
struct ResidentOperands {
  const ResidentMatrix* a = nullptr;
  const ResidentMatrix* b = nullptr;
};

}  // namespace duoblas
