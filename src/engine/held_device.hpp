// What the steps of a call have of the device. After a failure they have none, and the CPU does the
// rest.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "engine/device_updates.hpp"
#include "engine/engine_state.hpp"
#include "engine/guarded_job.hpp"
#include "engine/product_call.hpp"
#include "gpu/lapack/later_launches.hpp"

namespace duoblas {

class HeldDevice final : public DeviceUpdates, public Level3Device {
 public:
  /// `admission`: the call's. `did`: what the steps did, but for its times; its plan as decided.
  HeldDevice(EngineState& state, Admission& admission, bool is_checked, Outcome& did)
      : state_(state),
        cpu_(state.machine.cpu()),
        admission_(admission),
        gpu_(admission.pass ? admission.gpu : nullptr),
        is_checked_(is_checked),
        did_(did) {}

  bool has_device() const override { return gpu_ != nullptr; }
  bool is_checked() const override { return is_checked_; }
  /// Jobs that were done(), so far.
  std::size_t jobs_done() const { return jobs_done_; }

  void begin(const GemmProblem& part, const Plan& plan, const GemmProblem& written,
             OldResult* old_result) override;
  void finish() override;
  std::unique_ptr<FactorsOnDevice> hold(const DeviceFactorisation& call) override;
  bool goes_on_with(const DeviceFactorisation& call) override;
  void done() override;
  void failed() override;

  Outcome carry_out(const PlannedProduct& product) override;
  Outcome carry_out(const Level3Parts& parts) override;
  void add(Outcome&& step) noexcept override {
    if (step.recovered) admission_.leave(step.plan.reason);
    did_.add_step(std::move(step));
    admission_.ask_again();
  }
  void without_device(const std::function<void()>& work) override {
    admission_.give_back();
    work();
    admission_.ask_again();
  }

 private:
  SideSeconds carry_out(const GemmProblem& part, const Plan& wanted, const GemmProblem& written,
                        const std::function<void()>& beside, OldResult* old_result) override;
  SideSeconds conclude(GpuSide& gpu, UpdateCall& part, const HybridOutcome& did);
  std::optional<Plan> plan_of(const GemmProblem& part, const Plan& wanted) noexcept;
  void recover(const Outcome& step);
  bool has_thread() noexcept;

  EngineState& state_;
  CpuSide& cpu_;
  Admission& admission_;
  GpuSide* gpu_;  ///< of a factorisation
  const bool is_checked_;
  Outcome& did_;
  LapackProblem job_;  ///< that the device has
  std::size_t jobs_done_ = 0;
  bool device_has_part_ = false;  ///< it was given the part that is under way
  bool is_part_checked_ = false;  ///< that part
  // What begin() was told.
  PartitionedProblem later_;
  const Plan* plan_of_later_ = nullptr;
  bool later_is_cpus_ = false;
  OldResult* old_result_of_later_ = nullptr;
  // Of that part, if it does not wait for finish().
  struct Ahead {
    explicit Ahead(GpuSide& side) : gpu(side) {}
    GpuSide& gpu;
    Outcome step;
    std::optional<UpdateCall> call;
    std::optional<GuardedJob> job;
  };
  std::optional<Ahead> ahead_;
  std::optional<LaterLaunches> thread_;  // ends before what it uses
};

}  // namespace duoblas
