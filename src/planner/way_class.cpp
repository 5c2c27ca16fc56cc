#include "planner/way_class.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "planner/strategy_choice.hpp"

namespace duoblas {
namespace {

constexpr PriorSpread unseen{0, 0, spread_of_plain};
// In a row, that are believed: one may be disturbed.
constexpr int slow_calls = 2;

// Where a team and the caller's thread are about equal, no other thread is kept from its work.
double margin(Way way) {
  return way == Way::team ? 1 / worthwhile : 1;
}

// What is known may be outdated: the next call tells.
void widen(ClassFactor& known) {
  known.variance = unseen.call * unseen.call;
  known.changed_at = 0;
}

double per_unit(const WayTime& one) {
  return std::exp(one.known.mean);
}

}  // namespace

std::optional<double> WayClass::seen_seconds(Way way, double work) const {
  return of(way).known.seen > 0 ? std::optional(per_unit(of(way)) * work) : std::nullopt;
}

StrategyEstimate WayClass::estimate_of(const WayEstimate& way, double work) const {
  const ClassFactor& known = of(way.way).known;
  if (const auto seen = seen_seconds(way.way, work))
    return {*seen, std::sqrt(known.variance), *seen * margin(way.way), true, known.unseen};
  const double spread = way.way == Way::plain ? spread_of_plain : spread_of_others;
  return {way.seconds, spread, way.seconds * way.doubt, false, known.unseen};
}

// The fastest one that was seen. Before that, each takes as long as it may.
WayEstimate WayClass::best_of(std::span<const WayEstimate> ways, double work) const {
  const auto rank = [&](const WayEstimate& way) {
    const StrategyEstimate one = estimate_of(way, work);
    return std::pair(!one.seen, one.worst);
  };
  const WayEstimate& best = *std::ranges::min_element(ways, {}, rank);
  return {best.way, estimate_of(best, work).seconds};
}

// What a way takes is found out by two calls, of which the first may be a start. A way that is
// tried but not done, because it fails or its kernels are being built, is tried for ever fewer
// calls. What was seen may have been disturbed, so it is looked at again; not a way of ours that
// was not.
WayClass::Due WayClass::due(const WayEstimate& way, double best, double work) {
  WayTime& one = of(way.way);
  if (one.trial == TryCall::goes_on) return Due::now;
  const StrategyEstimate other = estimate_of(way, work);
  const double costs = other.seconds - best;
  if (costs <= 0) return other.seen ? Due::no : Due::now;
  const bool is_plain = way.way == Way::plain, may_look = other.seen || is_plain;
  const double calls = other.seen || one.has_begun ? 1 : 2,
               price = std::max(costs, one.lost * work);
  // A plain way costs a part of what any program may lose at once, since it may have ten classes.
  const double at_once = UnseenSeconds::part_of_process * Learner::free_seconds;
  const bool is_free = is_plain && !other.seen && costs <= at_once;
  const bool is_worth_it = !other.is_known() && calls * price <= may_have_lost(other, best);
  if (is_free || is_worth_it || (may_look && price <= other.unseen.for_look()))
    return std::has_single_bit(++one.tried) ? Due::now : Due::no;
  return may_look && price < UnseenSeconds::part * other.unseen.all() ? Due::if_stored : Due::no;
}

WayClass::Choice WayClass::choose(std::span<const WayEstimate> ways, double work, bool may_store) {
  const WayEstimate best = best_of(ways, work);
  // The best way first, until it is known what another one can gain.
  if (of(best.way).known.seen == 0) return {best.way, best.way};
  for (const WayEstimate& other : ways) {
    const Due when = other.way == best.way ? Due::no : due(other, best.seconds, work);
    if (when == Due::no || (when == Due::if_stored && !may_store)) continue;
    WayTime& one = of(other.way);
    one.trial = one.trial == TryCall::goes_on ? TryCall::second : TryCall::first;
    if (one.known.seen > 0 || when == Due::if_stored) one.known.unseen = {};
    return {other.way, best.way, when == Due::if_stored};
  }
  return {best.way, best.way};
}

bool WayClass::pay_for_look(Way way, double costs) {
  WayTime& one = of(way);
  if (!one.known.unseen.pay_for(costs)) return false;
  one.known.unseen = {};
  one.trial = TryCall::first;
  return true;
}

std::optional<Way> WayClass::best_seen(const WayTime* but) const {
  const WayTime* best = nullptr;
  for (const WayTime& one : ways_)
    if (&one != but && one.known.seen > 0 && (best == nullptr || one.known.mean < best->known.mean))
      best = &one;
  return best == nullptr ? std::nullopt : std::optional(static_cast<Way>(best - ways_.data()));
}

bool WayClass::observe(Way way, double seconds, double work) {
  WayTime& done = of(way);
  ClassFactor& known = done.known;
  const ClassFactor before = known;
  const bool begins = !std::exchange(done.has_begun, true), was_seen = before.seen > 0;
  const std::optional<Way> best = best_seen(), other = best_seen(&done);
  const double now = seconds / work, others = other ? per_unit(of(*other)) : endless;
  const TryCall trial = std::exchange(done.trial, TryCall::none);
  const bool is_try = trial == TryCall::first, is_slower = now >= others;
  LogRatio told{std::log(now)};
  // The first call of a try runs beside threads of the other way that spin.
  told.starts = is_try ? is_slower && (begins || was_seen) : begins;
  told.slow_calls = slow_calls;
  if (!was_seen && (known.bounds == 0 || told.value < known.mean)) known.mean = told.value;
  if (is_try && was_seen) widen(known);
  const bool is_change = take_in(told, known, unseen);
  const bool counts = known.seen > before.seen;
  if (!counts && was_seen) known.variance = before.variance;
  if (counts || !begins) known.unseen = {};
  done.tried = 0;
  if (is_try) done.lost = 0;
  if (trial != TryCall::none && is_slower && now < far_slower * others) {
    done.lost += now - others;
    if (is_try) done.trial = TryCall::goes_on;
  }
  // The machine has changed since earlier processes saw it.
  const bool are_in_doubt = is_change && told.value > before.mean + std::log(clearly);
  for (WayTime& one : ways_) {
    if (&one == &done) continue;
    // What a start takes longer pays for no try.
    fade(one.known, unseen,
         begins && was_seen ? std::min(now, std::exp(before.mean)) * work : seconds);
    if (are_in_doubt && !one.has_begun) widen(one.known);
  }
  return counts && (!was_seen || best != best_seen());
}

void WayClass::passed(Way way, double work) {
  const double seconds = seen_seconds(way, work).value_or(0);
  for (WayTime& one : ways_)
    if (&one != &of(way)) fade(one.known, unseen, seconds);
}

}  // namespace duoblas
