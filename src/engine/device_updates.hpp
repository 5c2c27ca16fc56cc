// Products that the steps of a factorisation give to the device, one after another, while the CPU
// does what the caller has for it.
#pragma once

#include <functional>
#include <memory>

#include "gpu/factors_on_device.hpp"
#include "planner/decision.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

class DeviceUpdates {
 public:
  virtual ~DeviceUpdates() = default;

  /// The device computes part.problem, all of it, while `beside` runs on this thread; both are done
  /// when this returns. Where there is no device, or it fails, the CPU does it after `beside`.
  /// `written`: C of it is what `beside` writes next to the part's. \throws what `beside` throws;
  /// CpuBlasError; DeviceError where the device hangs and may still write to C.
  virtual void update(const PlannedProduct& part, const GemmProblem& written,
                      const std::function<void()>& beside) = 0;

  /// The call's matrix on the device, which is the caller's then; null: it cannot be had now, and
  /// the CPU does it. done() or, in a handler of what the device threw and after abandon(),
  /// failed() follows. \throws DeviceError as update() does, from failed() too.
  virtual std::unique_ptr<FactorsOnDevice> hold(const DeviceFactorisation& call) = 0;
  virtual void done() = 0;
  virtual void failed() = 0;
};

using DeviceSteps = std::function<void(DeviceUpdates&)>;

}  // namespace duoblas
