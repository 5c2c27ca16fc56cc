// A call of several steps whose order lapack decides, as a Call: they have the device from the
// first to the last (device_updates.hpp). Either each step is a product, and a Call of its own; or
// the device holds the matrix, and the steps make a job, whose result is checked as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/call.hpp"
#include "engine/device_updates.hpp"

namespace duoblas {

struct EngineState;

class SteppedCall final : public Call {
 public:
  /// As Engine::carry_out(). \pre `told.plan` is that of the first kernel. \throws std::bad_alloc.
  SteppedCall(EngineState& state, const std::vector<PlannedProduct>& kernels,
              const DeviceSteps& steps, std::span<HeldJob> jobs, Outcome& told);

  Precision precision() const override { return precision_; }
  bool launches_plans_kernel() const override { return false; }
  bool is_job() const override { return !jobs_.empty(); }
  const Launches& launches() override { return launches_; }
  /// lapack learns of the whole call.
  std::optional<Forecast> forecast() const override { return {}; }
  void run_alone(CpuSide& cpu) override;
  void start(GpuSide& gpu) override { gpu_ = &gpu; }
  void run_beside(CpuSide& cpu) override;
  void wait() override {}
  GpuJobTimes times(double) const override { return {}; }
  /// The steps leave nothing to do.
  void finish(CpuSide&) override {}
  void run_part(CpuSide&) override { checked_->again(); }
  void end() noexcept override { check_.reset(); }
  void begin_check(ResultChecks& checks, GpuSide& gpu, Manner manner) noexcept override;
  PartCheck check(bool done) override;
  std::uint64_t count(ResultChecks& checks, const HybridOutcome& did) noexcept override;
  Suspect suspect(const ResultChecks& checks) const noexcept override;
  void tell() override;

 private:
  void run_steps(GpuSide* gpu);

  EngineState& state_;
  const Precision precision_;
  const std::vector<CallStep> kernels_;
  const StepLaunches launches_;
  const DeviceSteps& steps_;
  const std::span<HeldJob> jobs_;
  GpuSide* gpu_ = nullptr;
  Outcome did_;  ///< of the steps: all but its plan and times
  HeldJob* checked_ = nullptr;
};

}  // namespace duoblas
