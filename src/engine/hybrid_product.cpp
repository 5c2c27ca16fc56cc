#include "engine/hybrid_product.hpp"

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "check/every_element.hpp"

namespace duoblas {
namespace {

// A check that finds no memory has no result.
class Checking {
 public:
  explicit Checking(ProductCheck* check) : check_(check) {}

  void predict() noexcept {
    attempt([](ProductCheck& check) { check.predict(); });
  }
  std::optional<CheckedResult> compare() noexcept {
    std::optional<CheckedResult> result;
    attempt([&](ProductCheck& check) { result = {check.compare(), check.seconds()}; });
    return result;
  }

 private:
  template <typename Step>
  void attempt(Step&& step) noexcept {
    if (check_ == nullptr) return;
    try {
      step(*check_);
    } catch (const std::exception&) {
      check_ = nullptr;
    }
  }

  ProductCheck* check_;
};

std::string text_of(const WrongElement& wrong, const GemmProblem& part) noexcept try {
  return "its result is wrong: " + describe(wrong, part);
} catch (const std::bad_alloc&) {
  return "is wrong";  // short enough to need no memory
}

std::optional<ArrivingResult> arriving_in(WantedCheck* wanted, const GemmProblem& part) {
  if (wanted == nullptr || part.overwrites_c()) return std::nullopt;
  return std::optional<ArrivingResult>(std::in_place, *wanted, part);
}

}  // namespace

HybridProduct::HybridProduct(GpuSide& gpu, const PartitionedProblem& parts, const Plan& plan,
                             const ResidentOperands& resident, WantedCheck* wanted,
                             bool behind_another, OldResult* old_result) noexcept
    : part_(parts.gpu),
      plan_(plan),
      wanted_(wanted),
      old_result_(old_result),
      arriving_(arriving_in(wanted, parts.gpu)),
      job_(gpu, parts, plan, resident, arriving_ ? &*arriving_ : nullptr, behind_another,
           old_result == nullptr) {}

HybridOutcome HybridProduct::complete(CpuSide& cpu) {
  HybridOutcome outcome;
  outcome.times.cpu = cpu_seconds_;
  // If rows are checked while they arrive, the pipeline does the check.
  const bool is_whole = wanted_ != nullptr && (!arriving_ || arriving_->kept());
  Checking checking(is_whole ? &wanted_->check : nullptr);
  if (is_whole && wanted_->beside) checking.predict();
  const bool gpu_part_done = job_.join();
  const GpuJobTimes gpu_times = job_.times();
  outcome.times.gpu = gpu_times.whole;
  outcome.times.gpu_at_most = gpu_times.at_most;
  outcome.gpu_hung = job_.hung();
  outcome.c_is_out_of_reach = job_.may_write_c();
  if (!gpu_part_done && !outcome.c_is_out_of_reach)
    for (const GemmProblem& rest : job_.unfinished()) {
      if (old_result_ != nullptr) old_result_->restore(rest);
      cpu.run(rest, plan_.cpu);
    }
  outcome.gpu_failure = job_.take_failure();
  outcome.times.whole = watch_.seconds();
  if (is_whole && gpu_part_done) {
    if (!wanted_->beside) checking.predict();
    outcome.check = checking.compare();
  } else if (arriving_ && arriving_->saw_all() && (gpu_part_done || arriving_->verdict().wrong)) {
    outcome.check = {arriving_->verdict(), arriving_->seconds()};
    outcome.check_in_times = !wanted_->beside;
  }
  if (outcome.is_wrong()) {
    if (gpu_part_done) {
      wanted_->check.restore_c();
      cpu.run(part_, plan_.cpu);
    }
    outcome.gpu_failure = text_of(*outcome.check->verdict.wrong, part_);
  }
  if (outcome.is_wrong() || (wanted_ != nullptr && wanted_->beside))
    outcome.times.whole = watch_.seconds();

  outcome.gpu_error_code = job_.error_code();
  outcome.failed_after_submit = !gpu_part_done && job_.submitted();
  return outcome;
}

}  // namespace duoblas
