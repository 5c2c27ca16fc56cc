// One product as a Call: the device has rows (or columns) of C, the CPU the others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "check/product_check.hpp"
#include "engine/call.hpp"
#include "engine/device_updates.hpp"
#include "memory/download_ring.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// The check of a result that arrives through page-locked memory. Each part is checked before it is
/// copied to the caller's C. Until then C holds its old values, so they need no copy.
///
/// For a product with beta != 0. One thread at a time.
class ArrivingResult final : public ArrivalCheck {
 public:
  /// `check`: of this part, with OldC::in_place.
  ArrivingResult(ProductCheck& check, const GemmProblem& part) : check_(check), part_(part) {}

  void will_be_written() noexcept override;
  bool is_right(const RowsCopy& rows) noexcept override;

  /// C's old values were copied, so the check runs after the result has arrived.
  bool kept() const { return kept_; }
  /// All rows that arrived were checked; false if none arrived, or if memory was short.
  bool saw_all() const { return rows_ > 0 && !short_of_memory_; }
  const CheckVerdict& verdict() const { return verdict_; }
  double seconds() const;

 private:
  void look(const RowsCopy& rows);

  ProductCheck& check_;
  const GemmProblem part_;
  bool kept_ = false, short_of_memory_ = false;
  std::int64_t rows_ = 0;
  CheckVerdict verdict_;
  /// By their first column, for rows that arrive in parts.
  std::map<std::int64_t, ProductCheck> of_columns_;
};

class ProductCall : public Call {
 public:
  /// `resident`: copies by make_resident() that the device may read instead of the caller's memory.
  /// \pre told.plan is for all of the problem: entry_rows is 0.
  ProductCall(const GemmProblem& problem, Outcome& told, const ResidentOperands& resident);

  Precision precision() const override { return problem_.precision; }
  /// Of a product by integers.
  std::optional<JobKind> kind_of_numbers() const override;
  const Launches& launches() override { return launches_; }
  void run_alone(CpuSide& cpu) override { cpu.run(problem_, plan.cpu); }
  void start(GpuSide& gpu) override;
  void run_beside(CpuSide& cpu) override { cpu.run(parts_.cpu, plan.cpu); }
  void wait() override { job_.wait(); }
  GpuJobTimes times(double) const override { return job_.times(); }
  void finish(CpuSide& cpu) override;
  void run_part(CpuSide& cpu) override { cpu.run(parts_.gpu, plan.cpu); }
  void end() noexcept override;
  void begin_check(ResultChecks& checks, GpuSide& gpu, Manner manner) noexcept override;
  /// Instead of begin_check(): this check, with OldC::in_place. `is_timed`: the part that needs no
  /// result runs while the GPU works. That takes less time in all, but disturbs the GPU's measured
  /// time. Otherwise all of it runs after the times were taken. (Results that arrive piece by piece
  /// are always checked as they arrive.)
  void check_by(std::unique_ptr<ProductCheck> check, bool is_timed);
  void check_ahead() noexcept override;
  PartCheck check(bool done) override;
  std::uint64_t count(ResultChecks& checks, const HybridOutcome& did) noexcept override {
    return checks.ended(parts_.gpu, plan.kernel, did);
  }
  std::function<void()> evidence(GpuSide& gpu, std::uint64_t right) const override;
  bool reject(GpuSide& gpu, const std::string& why) override {
    return gpu.reject(parts_.gpu, plan.kernel, plan.sharing, why);
  }

 protected:
  ProductCall(const PartitionedProblem& parts, Outcome& told, OldResult* old_result,
              bool behind_another);

 private:
  const GemmProblem problem_;
  const ResidentOperands resident_ = {};
  const PartitionedProblem parts_;
  const Launches launches_;
  OldResult* const old_result_ = nullptr;
  const bool behind_another_ = false;
  std::optional<ArrivingResult> arriving_;
  GpuJob job_;
  bool started_ = false;
};

/// A product that the device does alone, while the CPU has other work of the same call.
class UpdateCall final : public ProductCall {
 public:
  /// parts.gpu is the product; parts.cpu tells where `beside` writes. `beside` null: nothing, or
  /// by others. `old_result`: what C is restored with after a failure; null: the GPU's side keeps
  /// what it needs. `behind_another`: as in Sharing.
  UpdateCall(const PartitionedProblem& parts, Outcome& told, const std::function<void()>* beside,
             OldResult* old_result, bool behind_another)
      : ProductCall(parts, told, old_result, behind_another), beside_(beside) {}

  void run_beside(CpuSide&) override {
    if (beside_ != nullptr) (*beside_)();
  }

 private:
  const std::function<void()>* const beside_;
};

}  // namespace duoblas
