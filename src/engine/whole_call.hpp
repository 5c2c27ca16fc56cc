// Combines the outcomes of a batch's parts. The plan is that of the part that took longest.
#pragma once

#include <utility>

#include "engine/outcome.hpp"

namespace duoblas {

class WholeCall {
 public:
  void add(Outcome&& part) {
    Outcome& all = outcome_;
    if (is_first_ || part.times.whole > longest_) {
      longest_ = part.times.whole;
      all.plan = std::move(part.plan);
    }
    is_first_ = false;
    all.times.whole += part.times.whole;
    all.times.cpu += part.times.cpu;
    all.times.gpu += part.times.gpu;
    all.times.gpu_at_most = all.times.gpu_at_most || part.times.gpu_at_most;
    all.check_seconds += part.check_seconds;
    all.products += part.products;
    all.used_gpu = all.used_gpu || part.used_gpu;
    all.recovered = all.recovered || part.recovered;
    all.gpu_products += part.gpu_products;
    all.gpu_rows_of_one += part.gpu_rows_of_one;
    if (part.seconds_won) all.seconds_won = all.seconds_won.value_or(0) + *part.seconds_won;
  }
  Outcome take() { return std::move(outcome_); }

 private:
  Outcome outcome_;
  bool is_first_ = true;
  double longest_ = 0;
};

}  // namespace duoblas
