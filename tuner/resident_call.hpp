// A product by the GPU alone, whose A and B are on the device already.
#pragma once

#include <memory>
#include <optional>

#include "engine/engine.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

/// Only C crosses the bus, so a call shows the kernel's speed even if calls with copies take as
/// long as the copies. Kernels that pack do so in every call.
class ResidentCall {
 public:
  /// Copies A and B to the device. Engine and problem outlive this object. \throws DeviceError if
  /// there is no room for them.
  ResidentCall(Engine& engine, const GemmProblem& problem);

  /// The mean over `repeats` calls of this plan's kernel on the whole product; nothing if the
  /// device failed.
  std::optional<CallSample> sample(const Plan& plan, int repeats);

 private:
  Engine& engine_;
  const GemmProblem& problem_;
  std::shared_ptr<const ResidentMatrix> a_, b_;
};

}  // namespace duoblas
