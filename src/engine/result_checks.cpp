#include "engine/result_checks.hpp"

#include <cmath>
#include <new>
#include <numeric>

namespace duoblas {
namespace {

// Results of a class that are checked before samples will do. A fault that shows in every second
// result is seen among them in 15 of 16 cases; each costs a fast GPU's call as much time again.
constexpr std::uint64_t first_results = 4;
// Of the class's own time.
constexpr double sampled_share = 0.005;
// Sizes are alike where their flops are within a factor of 2^6.
constexpr int size_doublings = 6;
// Three products of 11-bit numbers, added up by a unit that cuts off.
constexpr double slack_of_tf32 = 4;

int size_of(const GemmProblem& part) {
  return static_cast<int>(std::log2(flops(part))) / size_doublings;
}

double slack_of(const KernelParams& kernel) {
  return kernel.matrix == MatrixUnit::tf32x3 ? slack_of_tf32 : 1;
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
    return WantedCheck{ProductCheck(part, seed, slack_of(kernel)), mode == CheckMode::always};
  } catch (const std::exception&) {
    return {};  // Memory is short: the result is as it would be without.
  }
}

void ResultChecks::ended(const GemmProblem& part, const KernelParams& kernel,
                         const HybridOutcome& outcome) noexcept {
  if (mode_.load(std::memory_order_relaxed) == CheckMode::off || part.empty()) return;
  try {
    const std::lock_guard lock(mutex_);
    note(find(part, kernel), outcome);
  } catch (const std::bad_alloc&) {
    // This one is not counted.
  }
}

void ResultChecks::note(Class& known, const HybridOutcome& outcome) {
  const bool sampled = known.right >= first_results;
  ++counts_.results;
  if (sampled) known.call_seconds += outcome.times.whole;
  if (!outcome.check) {
    ++known.unchecked;
    return;
  }
  const auto& [verdict, seconds] = *outcome.check;
  ++counts_.checked;
  counts_.seconds += seconds;
  known.last_check = seconds;
  if (sampled) known.check_seconds += seconds;
  if (verdict.suspected_rows > 0) ++counts_.suspected;
  ++(verdict.wrong ? counts_.wrong : known.right);
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
