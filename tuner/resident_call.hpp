// A product whose A and B are on the device already, by the GPU alone.
#pragma once

#include <memory>
#include <optional>

#include "engine/engine.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

/// Only C crosses the bus, so a call shows how fast the kernel is where the calls of a program that
/// brings its operands along are as long as their copies. Kernels that pack do so in every call.
class ResidentCall {
 public:
  /// Brings A and B to the device. Engine and problem outlive this object. \throws DeviceError
  /// where they find no place there.
  ResidentCall(Engine& engine, const GemmProblem& problem);

  /// The mean of so many calls of this plan's kernel on the whole product; nothing where the device
  /// failed.
  std::optional<CallSample> sample(const Plan& plan, int repeats);

 private:
  Engine& engine_;
  const GemmProblem& problem_;
  std::shared_ptr<const ResidentMatrix> a_, b_;
};

}  // namespace duoblas
