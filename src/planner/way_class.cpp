#include "planner/way_class.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "planner/learner.hpp"

namespace duoblas {
namespace {

// A way that is tried but not done, because it fails or its kernels are being built, is soon tried
// for ever fewer calls: after twice as many each time.
constexpr int tries_in_a_row = 8;

bool is_turn(int& chosen) {
  constexpr int most = 1 << 30;
  if (chosen < most) ++chosen;
  return chosen <= tries_in_a_row || std::has_single_bit(static_cast<unsigned>(chosen));
}

// Where a team and the caller's thread are about equal, no other thread is kept from its work.
double margin(Way way) {
  return way == Way::team ? 1 / worthwhile : 1;
}

// What a time is compared with that would decide alone; 0: it would not, or nothing is known.
double reference(const WayTimes& done, double others) {
  if (done.is_known() && !done.is_look)
    return done.seen == WayTimes::until_known ? done.per_unit() : 0;
  if (done.seen == 0) return 0;
  return others > 0 && !(done.first > 0 && done.first < others) ? others : done.first;
}

// Whether a way's first call in this process says no more than what a start takes. To a program of
// one call a start is a part of it.
bool is_only_a_start(WayTimes& done, double others, double now) {
  done.lone_calls = std::min(done.lone_calls + 1, WayTimes::enough_lone_calls);
  const bool is_faster = done.is_look && others > 0 && now < others;
  if (is_faster || done.lone_calls == WayTimes::enough_lone_calls) {
    done.seen = std::max(done.seen, 1);
    return false;
  }
  done.goes_on = done.is_look;
  if (done.goes_on) done.lost = others > 0 ? std::max(0.0, now - others) : 0;
  if (!done.is_known()) {
    done.is_look = false;
    // It may not have been the start: the next one that is as slow is believed.
    done.was_disbelieved = others > 0 && now > WayTimes::far * others;
  }
  if (done.seen == 0) {
    done.first = now;
    done.seen = 1;
  }
  return true;
}

// A look counts alone: the earlier times may be the reason why nobody has looked. If it was slower,
// but not far, a second call is to follow: the first ran beside threads of the other way that spin.
void learn_look(WayTimes& done, double others, double now) {
  done.seen = 1;
  if (others <= 0) return;
  if (!done.is_second) done.lost = 0;
  done.lost += std::max(0.0, now - others);
  done.goes_on = !done.is_second && now >= others && now < WayTimes::far * others;
}

}  // namespace

bool learn(WayTimes& done, double others, double now) {
  const bool is_first = !done.has_begun;
  done.has_begun = true;
  done.chosen = 0;
  if (!is_first)
    done.lone_calls = 0;
  else if (is_only_a_start(done, others, now))
    return false;
  if (done.disbelieves(now, reference(done, others))) {
    done.unseen = {};
    done.is_look = false;
    return false;
  }
  const bool is_look = done.is_look;
  done.is_look = false;
  if (is_look && done.is_known()) learn_look(done, others, now);
  done.add(now);
  if (!done.is_known()) return false;
  done.unseen = {};
  done.is_in_doubt = false;
  return true;
}

std::optional<double> WayClass::seen_seconds(Way way, double work) const {
  return of(way).is_known() ? std::optional(of(way).per_unit() * work) : std::nullopt;
}

double WayClass::expected(const WayEstimate& estimate, double work) const {
  return seen_seconds(estimate.way, work).value_or(estimate.seconds);
}

// The fastest one that was seen. Before that, each takes as long as it may.
WayEstimate WayClass::best_of(std::span<const WayEstimate> ways, double work) const {
  const auto is_known = [&](const WayEstimate& one) { return of(one.way).is_known(); };
  const bool any_known = std::ranges::any_of(ways, is_known);
  const auto cost = [&](const WayEstimate& one) {
    return any_known ? expected(one, work) * margin(one.way) : one.seconds * one.doubt;
  };
  const WayEstimate* best = nullptr;
  for (const WayEstimate& one : ways)
    if (is_known(one) == any_known && (best == nullptr || cost(one) < cost(*best))) best = &one;
  return {best->way, expected(*best, work)};
}

// Calls since it was last done may have lost what they took over the least that the other way
// takes. Once that is what it is expected to cost to know that time, this is paid.
bool WayClass::is_try_due(const WayEstimate& other, double best) {
  WayTimes& times = of(other.way);
  if (times.is_known() && !times.is_in_doubt) return false;
  const double costs = other.seconds - best;
  if (costs <= 0) return true;
  const int calls = times.is_known() ? 1 : WayTimes::until_known - times.seen;
  const bool is_plain = other.way == Way::plain;
  // Of what any program may lose, since it may have ten kinds of calls.
  const double free_try = UnseenSeconds::part_of_process * Learner::free_seconds;
  const double least = (is_plain ? least_of_plain : least_of_others) * other.seconds;
  if (times.unseen.lost(least, best) < calls * costs && !(is_plain && costs < free_try))
    return false;
  return is_turn(times.chosen);
}

// What was seen may have been disturbed. Never by a way of ours that was not seen. Paid for,
// whatever becomes of the call: what fails, or is done otherwise, shows nothing.
bool WayClass::is_look_due(const WayEstimate& other, double best, double work, bool may_store,
                           Choice& choice) {
  WayTimes& times = of(other.way);
  const double costs = other.seconds - best;
  if (costs <= 0 || !(times.is_known() || other.way == Way::plain)) return false;
  times.is_second = times.goes_on;
  times.goes_on = false;
  if (times.is_second) return true;
  const double price = std::max(costs, times.lost * work);
  choice.is_dear = !times.unseen.pay_for(price);
  return !choice.is_dear || (may_store && price < UnseenSeconds::part * times.unseen.all());
}

WayClass::Choice WayClass::choose(std::span<const WayEstimate> ways, double work, bool may_store) {
  const WayEstimate best = best_of(ways, work);
  Choice choice{best.way, best.way, false, {}};
  for (const WayEstimate& one : ways) {
    if (one.way == best.way) continue;
    const WayEstimate other{one.way, expected(one, work)};
    // The best way first, until it is known what another one can gain.
    const bool is_try = of(best.way).is_known() && is_try_due(other, best.seconds);
    choice.is_dear = false;
    if (!is_try && !is_look_due(other, best.seconds, work, may_store, choice)) continue;
    WayTimes& times = of(other.way);
    choice.way = other.way;
    if (!is_try || times.is_known()) {
      times.is_look = true;
      choice.paid = times.unseen;
      times.unseen = {};
    }
    times.is_in_doubt = false;
    return choice;
  }
  choice.is_dear = false;
  return choice;
}

void WayClass::take_back(const Choice& choice) {
  WayTimes& times = of(choice.way);
  times.is_look = false;
  times.unseen.here += choice.paid.here;
  times.unseen.before += choice.paid.before;
}

std::optional<Way> WayClass::best_known() const {
  std::optional<Way> best;
  for (std::size_t i = 0; i < way_count; ++i)
    if (ways_[i].is_known() && (!best || ways_[i].per_unit() < of(*best).per_unit()))
      best = static_cast<Way>(i);
  return best;
}

double WayClass::least_of_others_known(Way way) const {
  double least = 0;
  for (const WayTimes& other : ways_)
    if (&other != &of(way) && other.is_known() && (least == 0 || other.per_unit() < least))
      least = other.per_unit();
  return least;
}

bool WayClass::observe(Way way, double seconds, double work) {
  WayTimes& done = of(way);
  const bool was_known = done.is_known();
  const std::optional<Way> best = best_known();
  const double now = seconds / work;
  // What a start takes longer pays for no try.
  const double usual =
      !done.has_begun && was_known ? std::min(seconds, done.per_unit() * work) : seconds;
  for (WayTimes& other : ways_)
    if (&other != &done) other.unseen.add(usual);
  const bool counts = learn(done, least_of_others_known(way), now);
  if (!counts) return false;
  if (done.outdates_recalled(now))
    for (WayTimes& other : ways_)
      if (&other != &done) other.is_in_doubt = other.is_known() && !other.has_begun;
  return !was_known || best != best_known();
}

void WayClass::passed(Way way, double work) {
  const double seconds = seen_seconds(way, work).value_or(0);
  for (WayTimes& other : ways_)
    if (&other != &of(way)) other.unseen.add(seconds);
}

}  // namespace duoblas
