#include "cpu/batch_tasks.hpp"

#include <algorithm>

namespace duoblas {
namespace {

// The overhead of a BLAS call in flops: a microsecond of one core.
constexpr double flops_of_a_call = 5e4;
// A tenth of a millisecond of one core.
constexpr double least_flops_of_task = 5e6;
// Enough tasks per thread that a slow core delays the end by only a small part of the whole.
constexpr double tasks_per_thread = 8;
// From n = 192 on it is better than to leave threads without a call.
constexpr double flops_worth_sharing_if_few = 1.4e7;
// As PieceLimits::flops.
constexpr double most_flops_of_round = 2.5e11;

double flops_of_one(const BatchGroup& group) {
  const GemmProblem& p = group.shape;
  const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
  return (p.only_scales_c() ? 0 : flops(p)) + flops_of_a_call + elements;
}

}  // namespace

std::vector<BatchRound> batch_rounds(const BatchProblem& batch, int threads) {
  double all = 0;
  std::int64_t count_of_all = 0;
  for (const BatchGroup& group : batch.groups) {
    if (group.empty()) continue;
    all += static_cast<double>(group.count) * flops_of_one(group);
    count_of_all += group.count;
  }
  const double of_task = std::max(least_flops_of_task, all / (tasks_per_thread * threads));
  std::vector<BatchRound> rounds;
  double of_round = 0;
  const auto next_round = [&](bool is_shared) -> BatchRound& {
    rounds.emplace_back().is_shared = is_shared;
    of_round = 0;
    return rounds.back();
  };
  for (std::size_t g = 0; g < batch.groups.size(); ++g) {
    const BatchGroup& group = batch.groups[g];
    if (group.empty()) continue;
    const double one = flops_of_one(group);
    const bool is_shared =
        one >= flops_worth_sharing || (count_of_all < threads && one >= flops_worth_sharing_if_few);
    if (is_shared && threads > 1) {
      for (std::int64_t i = 0; i < group.count; ++i) next_round(true).tasks.push_back({g, i, 1});
      continue;
    }
    const auto at_once =
        static_cast<std::int64_t>(std::clamp(of_task / one, 1.0, static_cast<double>(group.count)));
    for (std::int64_t first = 0; first < group.count; first += at_once) {
      const std::int64_t count = std::min(at_once, group.count - first);
      const double work = static_cast<double>(count) * one;
      const bool fits =
          !rounds.empty() && !rounds.back().is_shared && of_round + work <= most_flops_of_round;
      BatchRound& round = fits ? rounds.back() : next_round(false);
      round.tasks.push_back({g, first, count});
      of_round += work;
    }
  }
  return rounds;
}

}  // namespace duoblas
