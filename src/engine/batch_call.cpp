#include "engine/batch_call.hpp"

#include <utility>

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
  check_ = checks.begin(parts_.gpu, plan.kernel);
  check_is_timed_ = checks.checks_all();
}

void BatchCall::tell() {
  if (!outcome.used_gpu) return;
  outcome.gpu_products = partition_.products;
  outcome.gpu_rows_of_one = partition_.rows;
}

}  // namespace duoblas
