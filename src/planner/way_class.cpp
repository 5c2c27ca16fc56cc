#include "planner/way_class.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "planner/choice.hpp"
#include "planner/learner.hpp"

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

// A way that was seen is better than one that was not, of which each takes as long as it may. What
// a way takes is found out by two calls, of which the first may be a start. What was seen may have
// been disturbed, so it is looked at again, however well it is known; not a way of ours that was
// not.
Prospect WayClass::prospect_of(const WayEstimate& way, double work, bool is_any_seen) const {
  const WayTime& one = of(way.way);
  Prospect it;
  it.unseen = one.known.unseen;
  it.lost = one.lost * work;
  if (const auto seen = seen_seconds(way.way, work)) {
    it.seconds = it.worst = *seen;
    it.spread = std::sqrt(one.known.variance);
    it.seen = true;
    it.handicap = margin(way.way);
    it.looks_if_known = true;
    return it;
  }
  it.seconds = it.worst = way.seconds;
  it.spread = way.way == Way::plain ? spread_of_plain : spread_of_others;
  it.handicap = is_any_seen ? endless : way.doubt;
  it.calls = one.has_begun ? 1 : 2;
  it.may_look = way.way == Way::plain;
  return it;
}

// A way that is tried but not done, because it fails or its kernels are being built, is tried for
// ever fewer calls, and others meanwhile; but always where it is expected to be better, since calls
// that wait for kernels are what these are bought for.
WayClass::Choice WayClass::choose(std::span<const WayEstimate> ways, double work, bool may_store) {
  // What calls may have lost pays for a try, and no budget of the process. A program may have ten
  // classes that nobody saw, of which each may cost a part of what any program may lose at once.
  constexpr TryBudget budget{endless, UnseenSeconds::part_of_process * Learner::free_seconds};
  const bool is_any_seen =
      std::ranges::any_of(ways, [&](const WayEstimate& way) { return of(way.way).known.seen > 0; });
  std::array<Prospect, way_count> all;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    all[i] = prospect_of(ways[i], work, is_any_seen);
    if (may_store) all[i].unseen = all[i].unseen.as_here();
  }
  const std::span candidates = std::span(all).first(ways.size());
  auto chosen = duoblas::choose(candidates, budget);
  const Way best = ways[chosen.best].way;
  for (const WayEstimate& other : ways)
    if (WayTime& one = of(other.way); one.trial == TryCall::goes_on && other.way != best) {
      one.trial = TryCall::second;
      return {other.way, best};
    }
  for (; chosen.way != chosen.best; chosen = duoblas::choose(candidates, budget)) {
    const WayEstimate& other = ways[chosen.way];
    Prospect& prospect = all[chosen.way];
    const double least = all[chosen.best].seconds;
    WayTime& one = of(other.way);
    const bool is_dear =
        may_store && !is_try_due(prospect_of(other, work, is_any_seen), least, budget);
    const bool is_expected_better = !prospect.seen && prospect.seconds <= least;
    if (is_dear || is_expected_better || std::has_single_bit(++one.tried)) {
      one.trial = TryCall::first;
      if (one.known.seen > 0 || is_dear) one.known.unseen = {};
      return {other.way, best, is_dear};
    }
    prospect.seconds = endless;
  }
  return {best, best};
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
