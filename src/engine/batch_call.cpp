#include "engine/batch_call.hpp"

#include <utility>

#include "check/every_element.hpp"

namespace duoblas {

BatchCall::BatchCall(const BatchProblem& batch, const BatchPartition& part, std::int64_t entry,
                     Outcome& told)
    : Call(told),
      partition_(part),
      uses_gpu_(plan.strategy != Strategy::cpu && (partition_.products > 0 || partition_.rows > 0)),
      launches_(parts_.gpu, plan) {
  if (entry > 0) {
    PartitionedBatch split = partition(batch, {entry, 0});
    first_ = std::move(split.gpu);
    others_ = std::move(split.cpu);
  } else {
    first_ = batch;
  }
  parts_ = partition(first_, partition_);
}

std::optional<Forecast> BatchCall::forecast() const {
  if (!plan.forecast || others_.empty()) return plan.forecast;
  const auto count = static_cast<double>(first_.count());
  Forecast forecast = *plan.forecast;
  forecast.modelled[place_of(Timed::cpu_all)] *=
      count / (count + static_cast<double>(others_.count()));
  return forecast;
}

void BatchCall::end() noexcept {
  job_ = {};
  check_.reset();
}

void BatchCall::begin_check(ResultChecks& checks, GpuSide&, Manner) noexcept {
  if (auto due = checks.begin(parts_.gpu, plan.kernel)) check_.emplace(std::move(*due));
  checks_all_ = checks.checks_all();
}

PartCheck BatchCall::check(bool done) {
  PartCheck checked;
  checked.in_times = checks_all_;
  if (check_ && done) checked.result = CheckedResult{check_->compare(), check_->seconds()};
  if (check_ && !checks_all_) checked.apart_seconds = check_->seconds();
  return checked;
}

std::string BatchCall::describe(const PartCheck& checked) const {
  return duoblas::describe(*checked.result->verdict.wrong, check_->wrong_product()) + " in a batch";
}

void BatchCall::tell() {
  if (!outcome.used_gpu) return;
  outcome.gpu_products = partition_.products;
  outcome.gpu_rows_of_one = partition_.rows;
}

}  // namespace duoblas
