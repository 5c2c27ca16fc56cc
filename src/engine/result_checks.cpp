#include "engine/result_checks.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <utility>

#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

// Results of a class that are checked before samples will do. A fault that shows in every second
// result is seen among them in 15 of 16 cases; each costs a fast GPU's call as much time again.
constexpr std::uint64_t first_results = 4;
// Of the class's own time.
constexpr double sampled_share = 0.005;
// Sizes are alike where their flops are within a factor of 2^6.
constexpr int size_doublings = 6;

int size_of(const GemmProblem& part) {
  return static_cast<int>(std::log2(flops(part))) / size_doublings;
}

}  // namespace

ResultChecks::Class& ResultChecks::find(const GemmProblem& part, const KernelParams& kernel) {
  const int size = size_of(part);
  for (Class& known : classes_)
    if (known.size == size && known.precision == part.precision && known.op_a == part.op_a &&
        known.op_b == part.op_b && known.kernel == kernel)
      return known;
  Class& fresh = classes_.emplace_back();
  fresh.kernel = kernel;
  fresh.precision = part.precision;
  fresh.op_a = part.op_a;
  fresh.op_b = part.op_b;
  fresh.size = size;
  return fresh;
}

bool ResultChecks::is_due(const Class& known) const {
  if (mode_.load(std::memory_order_relaxed) == CheckMode::always || known.right < first_results)
    return true;
  return known.check_seconds + known.last_check <= sampled_share * known.call_seconds;
}

std::optional<WantedCheck> ResultChecks::begin(const GemmProblem& part, const KernelParams& kernel,
                                               bool as_told) noexcept {
  const CheckMode mode = mode_.load(std::memory_order_relaxed);
  if (mode == CheckMode::off || (as_told && mode == CheckMode::sampled) || !can_check(part))
    return {};
  try {
    std::uint64_t seed = 0;
    {
      const std::lock_guard lock(mutex_);
      if (!is_due(find(part, kernel))) return {};
      seed = ++seed_;
    }
    // Plans are learnt from times: those of samples are the times of calls without.
    return WantedCheck(part, seed, rounding_slack(kernel), mode == CheckMode::always);
  } catch (const std::exception&) {
    return {};  // Memory is short: the result is as it would be without.
  }
}

std::optional<BatchCheck> ResultChecks::begin(const BatchProblem& part,
                                              const KernelParams& kernel) noexcept {
  constexpr std::int64_t few_products = 8;
  const CheckMode mode = mode_.load(std::memory_order_relaxed);
  const BatchGroup* const most = part.largest();
  if (mode == CheckMode::off || most == nullptr || !can_check(most->shape)) return {};
  try {
    std::uint64_t seed = 0;
    {
      const std::lock_guard lock(mutex_);
      if (!is_due(find(most->shape, kernel))) return {};
      seed = ++seed_;
    }
    return BatchCheck(part, seed << 32, rounding_slack(kernel),
                      mode == CheckMode::always ? part.count() : few_products);
  } catch (const std::exception&) {
    return {};  // Memory is short: the results are as they would be without.
  }
}

std::uint64_t ResultChecks::ended(const GemmProblem& part, const KernelParams& kernel,
                                  const HybridOutcome& outcome) noexcept {
  if (mode_.load(std::memory_order_relaxed) == CheckMode::off || part.empty()) return 0;
  try {
    const std::lock_guard lock(mutex_);
    return note(find(part, kernel), outcome);
  } catch (const std::bad_alloc&) {
    return 0;  // this one is not counted
  }
}

std::uint64_t ResultChecks::note(Class& known, const HybridOutcome& outcome) {
  const bool sampled = known.right >= first_results;
  ++counts_.results;
  if (sampled) known.call_seconds += outcome.times.whole;
  if (!outcome.check) {
    ++known.unchecked;
    return 0;
  }
  const auto& [verdict, seconds] = *outcome.check;
  ++counts_.checked;
  counts_.seconds += seconds;
  known.last_check = seconds;
  if (sampled) known.check_seconds += seconds;
  if (verdict.suspected_rows > 0) ++counts_.suspected;
  ++(verdict.wrong ? counts_.wrong : known.right);
  if (verdict.wrong || known.right < std::max(first_results, 4 * known.told)) return 0;
  return known.right - std::exchange(known.told, known.right);
}

bool ResultChecks::is_new(const GemmProblem& part, const KernelParams& kernel) noexcept {
  if (mode_.load(std::memory_order_relaxed) == CheckMode::off || !can_check(part)) return false;
  try {
    const std::lock_guard lock(mutex_);
    return find(part, kernel).right < first_results;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

CheckCounts ResultChecks::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::uint64_t ResultChecks::unchecked(const KernelParams& kernel, Precision precision) const {
  const std::lock_guard lock(mutex_);
  return std::accumulate(classes_.begin(), classes_.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, const Class& known) {
                           const bool same = known.kernel == kernel && known.precision == precision;
                           return sum + (same ? known.unchecked : 0);
                         });
}

}  // namespace duoblas
