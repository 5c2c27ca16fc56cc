#include "engine/result_checks.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <numeric>
#include <utility>

#include "check/factorisation_check.hpp"
#include "check/level3_check.hpp"
#include "cpu/cpu_limits.hpp"
#include "gpu/level3/level3_program.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

// The number of results of a class that are checked before samples suffice. A fault in every second
// result is found among them in 15 of 16 cases. On a fast GPU a check takes as long as the call.
constexpr std::uint64_t first_results = 4;
// The part of a class's time that its checks may take.
constexpr double sampled_share = 0.005;
// A kernel that goes bad is found out after so many calls, however much was right before.
constexpr std::uint64_t most_unchecked = 190;
// Sizes belong to one class if their flops are within a factor of 2^6.
constexpr int size_doublings = 6;

bool computes(const GemmProblem& part) {
  return !part.empty() && !part.only_scales_c();
}
template <typename Part>
bool computes(const Part&) {
  return true;
}

template <typename Part>
int size_of(const Part& part) {
  return static_cast<int>(std::log2(flops(part))) / size_doublings;
}

}  // namespace

ResultChecks::Kind ResultChecks::kind_of(const GemmProblem& part) {
  return {part.precision, part.op_a, part.op_b, size_of(part)};
}

ResultChecks::Kind ResultChecks::kind_of(const Level3Problem& part) {
  return {part.precision, part.op, Op::none, size_of(part), part.routine, part.side, part.uplo};
}

ResultChecks::Kind ResultChecks::kind_of(const LapackProblem& call) {
  Kind kind{call.precision, Op::none, Op::none, size_of(call)};
  kind.uplo = call.uplo;
  kind.factorisation = call.routine;
  return kind;
}

ResultChecks::Class& ResultChecks::find(const Kind& kind, const KernelParams& kernel) {
  for (Class& known : classes_)
    if (known.kind == kind && known.kernel == kernel) return known;
  auto earlier = earlier_.empty() ? earlier_.end() : earlier_.find(names_of(kernel, kind));
  Class& fresh = classes_.emplace_back();
  fresh.kernel = kernel;
  fresh.kind = kind;
  if (earlier == earlier_.end()) return fresh;
  static_cast<Evidence&>(fresh) = earlier->second;
  fresh.told = fresh.right;
  earlier_.erase(earlier);
  return fresh;
}

CheckThreads ResultChecks::threads() const {
  CheckThreads threads = threads_;
  if (const int bound = thread_bound(); bound > 0)
    threads.threads = std::min(threads.threads, bound);
  return threads;
}

bool ResultChecks::is_due(const Class& known) const {
  if (checks_all() || known.right < first_results || known.since_check >= most_unchecked)
    return true;
  return known.check_seconds + known.last_check <= sampled_share * known.call_seconds;
}

std::optional<std::uint64_t> ResultChecks::seed_if_due(const Kind& kind,
                                                       const KernelParams& kernel) {
  const std::lock_guard lock(mutex_);
  if (!is_due(find(kind, kernel))) return {};
  return ++seed_;
}

// Memory may be short: then the result is as it would be without.
template <typename Check, typename Part, typename Make>
std::unique_ptr<Check> ResultChecks::made_if_due(const Part& part, const KernelParams& kernel,
                                                 Make&& make) noexcept try {
  if (mode() == CheckMode::off || !can_check(part)) return {};
  const auto seed = seed_if_due(kind_of(part), kernel);
  if (!seed) return {};
  return make(*seed, rounding_slack(kernel));
} catch (const std::exception&) {
  return {};
}

// Plans are learned from times, so a sampled call must be timed like a call without a check.
std::unique_ptr<ProductCheck> ResultChecks::begin(const GemmProblem& part,
                                                  const KernelParams& kernel,
                                                  bool as_told) noexcept {
  if (as_told && mode() == CheckMode::sampled) return {};
  return made_if_due<ProductCheck>(part, kernel, [&](std::uint64_t seed, double slack) {
    return std::make_unique<ProductCheck>(part, seed, slack, OldC::in_place, threads());
  });
}

std::unique_ptr<ResultCheck> ResultChecks::begin(const Level3Problem& part,
                                                 const KernelParams& kernel) noexcept {
  return made_if_due<ResultCheck>(part, kernel, [&](std::uint64_t seed, double slack) {
    return std::make_unique<Level3Check>(
        part, seed, slack, inverted_blocks(part, block_sizes(order(part))), threads());
  });
}

std::unique_ptr<ResultCheck> ResultChecks::begin(const LapackProblem& call,
                                                 const KernelParams& kernel) noexcept {
  return made_if_due<ResultCheck>(call, kernel, [&](std::uint64_t seed, double slack) {
    return std::make_unique<FactorisationCheck>(call, seed, slack, threads());
  });
}

GemvSample ResultChecks::begin(std::uint64_t gemv) {
  constexpr std::uint64_t every = 64;
  const CheckMode mode = mode_.load(std::memory_order_relaxed);
  if (mode == CheckMode::off) return {};
  const std::lock_guard lock(mutex_);
  const std::uint64_t result = gemvs_[gemv]++;
  const bool all = mode == CheckMode::always;
  return {all || result < first_results || result % every == 0, all, ++seed_};
}

template <typename Part>
std::uint64_t ResultChecks::ended(const Part& part, const KernelParams& kernel,
                                  const HybridOutcome& outcome) noexcept try {
  if (mode() == CheckMode::off || !computes(part)) return 0;
  const std::lock_guard lock(mutex_);
  return note(find(kind_of(part), kernel), outcome);
} catch (const std::bad_alloc&) {
  return 0;  // this one is not counted
}

template std::uint64_t ResultChecks::ended(const GemmProblem&, const KernelParams&,
                                           const HybridOutcome&) noexcept;
template std::uint64_t ResultChecks::ended(const Level3Problem&, const KernelParams&,
                                           const HybridOutcome&) noexcept;
template std::uint64_t ResultChecks::ended(const LapackProblem&, const KernelParams&,
                                           const HybridOutcome&) noexcept;

std::uint64_t ResultChecks::note(Class& known, const HybridOutcome& outcome) {
  const bool sampled = known.right >= first_results;
  ++counts_.results;
  if (sampled) known.call_seconds += outcome.times.whole;
  if (!outcome.check) {
    ++known.unchecked;
    ++known.since_check;
    return 0;
  }
  const auto& [verdict, seconds] = *outcome.check;
  known.since_check = 0;
  ++counts_.checked;
  counts_.seconds += seconds;
  known.last_check = seconds;
  if (sampled) known.check_seconds += seconds;
  if (verdict.suspected_rows > 0) ++counts_.suspected;
  ++(verdict.wrong ? counts_.wrong : known.right);
  if (verdict.wrong) forget(known.kernel);
  if (verdict.wrong || known.right < std::max(first_results, 4 * known.told)) return 0;
  return known.right - std::exchange(known.told, known.right);
}

template <typename Part>
bool ResultChecks::is_new(const Part& part, const KernelParams& kernel) noexcept try {
  if (mode() == CheckMode::off || !can_check(part)) return false;
  const std::lock_guard lock(mutex_);
  return find(kind_of(part), kernel).right < first_results;
} catch (const std::bad_alloc&) {
  return false;
}

template bool ResultChecks::is_new(const GemmProblem&, const KernelParams&) noexcept;
template bool ResultChecks::is_new(const Level3Problem&, const KernelParams&) noexcept;
template bool ResultChecks::is_new(const LapackProblem&, const KernelParams&) noexcept;

CheckCounts ResultChecks::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

template <typename Counts>
std::uint64_t ResultChecks::sum_of_unchecked(Counts&& counts) const {
  const std::lock_guard lock(mutex_);
  return std::accumulate(classes_.begin(), classes_.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, const Class& known) {
                           return sum + (counts(known) ? known.unchecked : 0);
                         });
}

std::uint64_t ResultChecks::unchecked(const KernelParams& kernel, Precision precision) const {
  return sum_of_unchecked([&](const Class& known) {
    return known.kernel == kernel && known.kind.precision == precision && !known.kind.routine &&
           !known.kind.factorisation;
  });
}

std::uint64_t ResultChecks::unchecked_jobs() const {
  return sum_of_unchecked(
      [](const Class& known) { return known.kind.routine || known.kind.factorisation; });
}

}  // namespace duoblas
