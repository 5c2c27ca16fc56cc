// A product by the GPU alone, all of whose operands are in its memory.
#pragma once

#include <optional>

#include "engine/engine.hpp"
#include "gpu/product/product.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

/// Nothing crosses the bus. Kernels that pack do so in every call.
class CallOnDevice {
 public:
  /// Copies A and B to the device and makes a C there. Engine and problem outlive this object.
  /// \throws DeviceError if there is no room for them.
  CallOnDevice(Engine& engine, const GemmProblem& problem);

  /// The mean over `repeats` calls: of the product (Sides::device), or of an update by as many
  /// steps as a panel has (Sides::update). Nothing if the device failed.
  std::optional<CallSample> sample(const KernelParams& kernel, Sides sides, int repeats);

 private:
  BoundOperand on_device(const HostRect& rect, bool is_copied);

  OpenedDevice& device_;
  GemmProblem problem_;
  ProductOperands operands_;
  ProductScratch scratch_;
};

}  // namespace duoblas
