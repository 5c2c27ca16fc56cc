#include "planner/level3_selector.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <utility>

#include "timing/median.hpp"

namespace duoblas {
namespace {

constexpr int most_seen = 3 << 18;
// A variant that is chosen but not done, because it fails or its kernels are being built, is soon
// chosen for ever fewer calls: after twice as many each time.
constexpr int most_chosen_per_try = 8;

// One more, or as many as take the same turn: the places of `last` are taken in turns for ever.
int one_more(int seen) {
  constexpr int turns = 3;
  return seen < most_seen ? seen + 1 : seen + 1 - turns;
}

// Of calls 1, 2, 4, 8 ...
bool is_turn(int& calls) {
  calls = std::min(calls + 1, most_seen);
  return std::has_single_bit(static_cast<unsigned>(calls));
}

}  // namespace

double Level3Selector::Variant::per_flop() const {
  return upper_median(last, static_cast<std::size_t>(seen));
}

Level3Selector::Kind Level3Selector::kind_of(const Level3Problem& p, CallsAre calls) {
  return {p.routine, p.precision, p.side, p.op, std::ilogb(flops(p)), calls};
}

Level3Variant Level3Selector::choose(const Level3Problem& p, double job, double halves,
                                     CallsAre calls) {
  const std::lock_guard guard(mutex_);
  std::array<Variant, variant_count>& variants = kinds_[kind_of(p, calls)];
  std::array<double, 2> expected{job, halves};
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (variants[i].seen > 0) expected[i] = variants[i].per_flop() * flops(p);
  const std::size_t better = expected[0] <= expected[1] ? 0 : 1, other = 1 - better;
  // The better variant first, until it is known what the other one can gain.
  const bool is_wanted = variants[better].seen > 0 && variants[other].tried < tries &&
                         !variants[other].is_recalled &&
                         expected[other] < worth_a_try * expected[better];
  const bool tries_other = is_wanted && (variants[other].chosen < most_chosen_per_try * tries ||
                                         is_turn(variants[other].skipped));
  const bool looks_at_other = !tries_other && variants[better].seen > 0 &&
                              variants[other].seen > 0 &&
                              pays(variants[other], expected[other] - expected[better]);
  const std::size_t chosen = tries_other || looks_at_other ? other : better;
  variants[chosen].chosen = std::min(variants[chosen].chosen + 1, most_seen);
  return static_cast<Level3Variant>(chosen);
}

// Paid for, whatever becomes of the call: what fails, or is done otherwise, shows nothing.
bool Level3Selector::pays(Variant& variant, double costs) {
  if (!std::exchange(variant.goes_on, false) && !variant.unseen.pay_for(costs)) return false;
  variant.unseen = {};
  variant.is_exploration = true;
  return true;
}

bool Level3Selector::looks_at(const Level3Problem& p, Level3Variant choice, double costs,
                              CallsAre calls) {
  const std::lock_guard guard(mutex_);
  Variant& variant = kinds_[kind_of(p, calls)][static_cast<std::size_t>(choice)];
  const bool is_new = variant.seen == 0;
  if (is_new && choice != Level3Variant::cpu) return false;
  const bool is_first_look = is_new && variant.chosen < tries && costs < first_look_at_cpu;
  if (!is_first_look && !pays(variant, costs)) return false;
  variant.chosen = std::min(variant.chosen + 1, most_seen);
  return true;
}

std::optional<double> Level3Selector::seen_seconds(const Level3Problem& p, Level3Variant choice,
                                                   CallsAre calls) {
  const std::lock_guard guard(mutex_);
  const auto kind = kinds_.find(kind_of(p, calls));
  if (kind == kinds_.end()) return {};
  const Variant& variant = kind->second[static_cast<std::size_t>(choice)];
  if (variant.seen == 0) return {};
  return variant.per_flop() * flops(p);
}

// What a time is compared with that would decide alone, or with one other; 0: it would not, or
// nothing is known. The first call waits for memory and kernels: later ones are faster.
double Level3Selector::known_per_flop(const std::array<Variant, variant_count>& variants,
                                      const Variant& variant) {
  if (variant.seen > 1 && !variant.is_exploration) return 0;
  if (variant.seen == 1 && !variant.is_exploration) return variant.per_flop();
  double known = variant.first;
  for (const Variant& other : variants)
    if (&other != &variant && other.seen > 0 && (known == 0 || other.per_flop() < known))
      known = other.per_flop();
  return known;
}

void Level3Selector::saw(const Level3Problem& p, Level3Variant choice, double seconds,
                         CallsAre calls) noexcept try {
  const std::lock_guard guard(mutex_);
  std::array<Variant, variant_count>& variants = kinds_[kind_of(p, calls)];
  Variant& variant = variants[static_cast<std::size_t>(choice)];
  variant.tried = std::min(variant.tried + 1, most_seen);
  variant.chosen = variant.skipped = 0;
  const bool is_first = !std::exchange(variant.has_begun, true);
  if (is_first && choice != Level3Variant::cpu) {
    variant.goes_on = variant.is_exploration;
    variant.first = seconds / flops(p);
    return;
  }
  for (Variant& other : variants) other.unseen.add(seconds);
  variant.unseen = {};
  if (variant.doubted.is_passing(seconds / flops(p), known_per_flop(variants, variant))) {
    variant.is_exploration = false;
    return;
  }
  // What it took before may be why nobody has looked.
  if (std::exchange(variant.is_exploration, false)) variant.seen = 0;
  if (variant.recalled.is_outdated_by(seconds / flops(p)))
    for (Variant& other : variants) other.is_recalled = false;
  variant.last[static_cast<std::size_t>(variant.seen) % variant.last.size()] = seconds / flops(p);
  variant.seen = one_more(variant.seen);
} catch (const std::bad_alloc&) {
  // The next call like it may be remembered.
}

void Level3Selector::saw_sides(const Level3Problem& p, double share, double gpu_seconds,
                               double cpu_seconds, CallsAre calls) noexcept try {
  if (share <= 0 || share > 1 || gpu_seconds <= 0) return;
  const std::lock_guard guard(mutex_);
  Sides& sides = sides_[kind_of(p, calls)];
  if (share == 1) sides.seconds_since += sides.last_whole = gpu_seconds;
  if (share == 1 || cpu_seconds <= 0) return;
  const double gpu = share / gpu_seconds, cpu = (1 - share) / cpu_seconds;
  sides.seconds_since = 0;
  const bool is_alone = sides.is_exploration || sides.seen == 1 || sides.seen == 2;
  const auto [shorter, longer] = std::minmax(gpu_seconds, cpu_seconds);
  if (is_alone && sides.doubted.is_passing(longer, shorter)) {
    sides.is_exploration = false;
    return;
  }
  if (std::exchange(sides.is_exploration, false)) sides.seen = 1;
  // The first one waits for memory and kernels.
  if (sides.seen > 0)
    sides.last[static_cast<std::size_t>(sides.seen - 1) % sides.last.size()] = gpu / (gpu + cpu);
  sides.seen = one_more(sides.seen);
} catch (const std::bad_alloc&) {
  // As above.
}

std::optional<double> Level3Selector::balanced_share(const Level3Problem& p, double least_of_cpu,
                                                     CallsAre calls) {
  const std::lock_guard guard(mutex_);
  const auto found = sides_.find(kind_of(p, calls));
  if (found == sides_.end() || found->second.seen < 2) return {};
  Sides& sides = found->second;
  const double share = upper_median(sides.last, static_cast<std::size_t>(sides.seen - 1));
  if (1 - share >= least_of_cpu / 2) return share;
  // The CPU's side would take longer than the device takes for all, by as much as its part is
  // larger than its due.
  const double excess = least_of_cpu / std::max(1 - share, 1e-9) - 1;
  if (excess * sides.last_whole >= exploration_part * sides.seconds_since) return 1.0;
  sides.seconds_since = 0;
  sides.is_exploration = true;
  return 1 - least_of_cpu;
}

}  // namespace duoblas
