// Many products as a Call: the device has the first ones, the CPU the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/call.hpp"
#include "gpu/product/batch_job.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

class BatchCall final : public Call {
 public:
  /// `part`, `entry`: as in BatchPlan, whose plan is `told.plan`. \pre not empty; no group only
  /// scales C. \throws std::bad_alloc.
  BatchCall(const BatchProblem& batch, const BatchPartition& part, std::int64_t entry,
            Outcome& told);

  Precision precision() const override { return first_.precision; }
  bool uses_gpu() const override { return uses_gpu_; }
  const Launches& launches() override { return launches_; }
  std::optional<Forecast> forecast() const override;
  void run_alone(CpuSide& cpu) override { cpu.run(first_, plan.cpu); }
  bool has_others() const override { return !others_.empty(); }
  void run_others(CpuSide& cpu, const CpuConfig& config) override { cpu.run(others_, config); }
  void start(GpuSide& gpu) override {
    job_ = gpu.submit(parts_.gpu, BatchSharing{plan.sharing, &parts_.cpu});
  }
  void run_beside(CpuSide& cpu) override { cpu.run(parts_.cpu, plan.cpu); }
  void wait() override { job_.wait(); }
  GpuJobTimes times(double) const override { return job_.times(); }
  void finish(CpuSide& cpu) override { run_part(cpu); }
  void run_part(CpuSide& cpu) override { cpu.run(parts_.gpu, plan.cpu); }
  void end() noexcept override;
  void begin_check(ResultChecks& checks, GpuSide& gpu, Manner manner) noexcept override;
  /// By the shape with most of the work.
  std::uint64_t count(ResultChecks& checks, const HybridOutcome& did) noexcept override {
    return checks.ended(parts_.gpu.largest()->shape, plan.kernel, did);
  }
  bool reject(GpuSide& gpu, const std::string& why) override {
    return gpu.reject(parts_.gpu, plan.sharing, why);
  }
  void tell() override;

 private:
  const BatchPartition partition_;
  const bool uses_gpu_;
  BatchProblem first_, others_;  ///< what the plan covers, and the rest
  PartitionedBatch parts_;
  const BatchLaunches launches_;
  BatchJob job_;
};

}  // namespace duoblas
