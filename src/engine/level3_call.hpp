// A level-3 call that the device does as one job, as a Call. What the CPU does of it, level3 says.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/call.hpp"
#include "gpu/level3/level3_job.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// The device's part of a level-3 call, and what the CPU does beside it and after it.
struct Level3Parts {
  Level3Problem gpu;
  Plan plan;
  std::function<void()> beside;
  /// Does the part of `gpu` that the device did not do: all of it if the device did nothing.
  std::function<void(const Level3Progress&)> rest;
  MatricesInPlace in_place;  ///< those that the device may use in place
  HostRect of_host;          ///< the memory that `beside` writes
};

class Level3Call final : public Call {
 public:
  /// \pre `told.plan` is that of the parts.
  Level3Call(const Level3Parts& parts, Outcome& told)
      : Call(told), parts_(parts), launches_(steps_) {}

  Precision precision() const override { return parts_.gpu.precision; }
  bool is_job() const override { return true; }
  const Launches& launches() override;
  /// It is learned as a whole call (planner/way_chooser).
  std::optional<Forecast> forecast() const override { return {}; }
  void run_alone(CpuSide&) override {
    parts_.beside();
    parts_.rest({});
  }
  void start(GpuSide& gpu) override;
  void run_beside(CpuSide&) override { parts_.beside(); }
  void wait() override;
  GpuJobTimes times(double) const override { return {0, times_.whole, false}; }
  void finish(CpuSide&) override { parts_.rest(job_ ? job_->progress() : Level3Progress{}); }
  void run_part(CpuSide&) override { parts_.rest({}); }
  void end() noexcept override;
  void begin_check(ResultChecks& checks, GpuSide&, Manner) noexcept override {
    check_ = checks.begin(parts_.gpu, plan.kernel);
  }
  std::uint64_t count(ResultChecks& checks, const HybridOutcome& did) noexcept override {
    return checks.ended(parts_.gpu, plan.kernel, did);
  }
  Suspect suspect(const ResultChecks& checks) const noexcept override;
  void tell() override { outcome.job_times = times_; }

 private:
  const Level3Parts& parts_;
  std::vector<CallStep> steps_;
  const Launches launches_;
  std::optional<Level3Job> job_;
  Level3Times times_;
};

}  // namespace duoblas
