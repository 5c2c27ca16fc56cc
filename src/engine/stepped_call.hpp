// A call of several steps whose order level3 or lapack decides, as a Call (device_updates.hpp).
// Either each step is a product or a job of level 3, and a Call of its own; or the device holds the
// matrix of a factorisation, and the steps make a job, whose result is checked as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/call.hpp"
#include "engine/device_updates.hpp"

namespace duoblas {

struct EngineState;
class HeldDevice;

class SteppedCall final : public Call {
 public:
  using Steps = std::function<void(HeldDevice&)>;
  /// As Engine::carry_out(). `told.plan` is that of the call as a whole.
  SteppedCall(EngineState& state, Precision precision, const std::vector<CallStep>& launched,
              Steps&& steps, std::span<HeldJob> jobs, Outcome& told);

  Precision precision() const override { return precision_; }
  bool launches_plans_kernel() const override { return false; }
  bool has_steps() const override { return true; }
  bool is_job() const override { return !jobs_.empty(); }
  const Launches& launches() override { return launches_; }
  /// level3 and lapack learn of the whole call.
  std::optional<Forecast> forecast() const override { return {}; }
  void has(Admission& admission) override { admission_ = &admission; }
  void run_alone(CpuSide& cpu) override;
  void start(GpuSide&) override {}
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
  void run_steps();

  EngineState& state_;
  const Precision precision_;
  const StepLaunches launches_;
  const Steps steps_;
  const std::span<HeldJob> jobs_;
  Admission* admission_ = nullptr;
  Outcome did_;  ///< of the steps: all but its times
  HeldJob* checked_ = nullptr;
};

}  // namespace duoblas
