#include "planner/way_class.hpp"

#include <algorithm>

#include "planner/strategy_choice.hpp"

namespace duoblas {
namespace {

// Where a team and the caller's thread are about equal, no other thread is kept from its work.
double margin(Way way) {
  return way == Way::team ? 1 / worthwhile : 1;
}

double spread_of(Way way) {
  return -std::log(way == Way::plain ? WayClass::least_of_plain : WayClass::least_of_others);
}

PriorSpread prior_of(double spread) {
  return {0, 0, spread};
}

}  // namespace

void WayTime::expect(double estimate) {
  if (!is_seen() && !factor.warmed) unit = estimate;
}

bool WayTime::observe(double now, double spread) {
  if (unit <= 0) {
    unit = now;
    factor.warmed = true;
    return false;
  }
  if (is_seen()) excess.saw(now, unit * std::exp(factor.published));
  SharedFactor all, family;
  const bool is_change = take_in({std::log(now / unit)}, {all, family, factor}, prior_of(spread));
  if (!is_change) return false;
  excess = {};
  // However often a time changes, no factor is out of bounds.
  unit *= std::exp(factor.published);
  factor.mean -= factor.published;
  factor.before_change -= static_cast<float>(factor.published);
  factor.published = 0;
  return true;
}

double WayClass::priced(Way way, double work) const {
  return expected(way, work) * margin(way);
}

std::optional<double> WayClass::seen_seconds(Way way, double work) const {
  return of(way).is_seen() ? std::optional(expected(way, work)) : std::nullopt;
}

// What calls may have lost, or what a look may cost. A way that fails, or whose kernels are being
// built, is tried again after twice as many seconds each time.
bool WayClass::is_try_due(Way other, Way best, double work, bool may_store, Choice& choice) const {
  const WayTime& time = of(other);
  const UnseenSeconds& unseen = time.factor.unseen;
  const double spread = time.is_seen() ? std::sqrt(time.factor.variance) : spread_of(other);
  const StrategyEstimate estimate{priced(other, work), spread, 0, time.is_seen(), unseen};
  const double best_seconds = priced(best, work), costs = estimate.seconds - best_seconds;
  // A look whose price is stored need not wait for this process.
  const double free = time.is_seen()        ? UnseenSeconds::part * unseen.all()
                      : other == Way::plain ? free_try
                                            : 0;
  const bool may_gain = estimate.seconds * std::exp(-spread) < best_seconds;
  if (!time.is_seen() && other != Way::plain && !may_gain) return false;
  if (!unseen.may_look() || !is_wanted(estimate, best_seconds, costs, free)) return false;
  choice.is_dear = time.is_seen() && costs > UnseenSeconds::part_of_process * unseen.here;
  return !choice.is_dear || may_store;
}

WayClass::Choice WayClass::choose(std::span<const WayEstimate> ways, double work, bool may_store) {
  const WayEstimate* best = nullptr;
  const auto cost = [&](const WayEstimate& one) {
    return priced(one.way, work) * (of(one.way).is_seen() ? 1 : one.doubt);
  };
  for (const WayEstimate& one : ways) of(one.way).expect(one.seconds / work);
  for (const WayEstimate& one : ways)
    if (best == nullptr || cost(one) < cost(*best)) best = &one;
  Choice choice{best->way, best->way, false, {}};
  // The best way first, until it is known what another one can gain.
  if (!of(best->way).is_seen()) return choice;
  for (const WayEstimate& one : ways) {
    if (one.way == best->way || !is_try_due(one.way, best->way, work, may_store, choice)) continue;
    UnseenSeconds& unseen = of(one.way).factor.unseen;
    choice.way = one.way;
    choice.paid = unseen;
    unseen.end(false);
    return choice;
  }
  choice.is_dear = false;
  return choice;
}

void WayClass::take_back(const Choice& choice) {
  UnseenSeconds& unseen = of(choice.way).factor.unseen;
  unseen = {unseen.here + choice.paid.here, unseen.before + choice.paid.before, choice.paid.waited};
}

std::optional<Way> WayClass::best_seen() const {
  std::optional<Way> best;
  for (std::size_t i = 0; i < way_count; ++i)
    if (times_[i].is_seen() && (!best || times_[i].per_unit() < of(*best).per_unit()))
      best = static_cast<Way>(i);
  return best;
}

void WayClass::fade_others(Way way, double seconds) {
  for (std::size_t i = 0; i < way_count; ++i) {
    if (static_cast<Way>(i) == way) continue;
    fade(times_[i].factor, prior_of(spread_of(static_cast<Way>(i))), seconds);
    times_[i].excess.fade();
  }
}

bool WayClass::observe(Way way, double seconds, double work) {
  WayTime& done = of(way);
  const bool was_seen = done.is_seen();
  const std::optional<Way> best = best_seen();
  // What a start takes longer pays for no try.
  fade_others(way, was_seen ? std::min(seconds, 2 * expected(way, work)) : seconds);
  // A machine that has changed may do so for the other ways, too.
  if (done.observe(seconds / work, spread_of(way)))
    for (std::size_t i = 0; i < way_count; ++i)
      if (static_cast<Way>(i) != way)
        doubt(times_[i].factor, prior_of(spread_of(static_cast<Way>(i))));
  done.factor.unseen.was_done(done.is_seen());
  return done.is_seen() != was_seen || best != best_seen();
}

void WayClass::passed(Way way, double work) {
  fade_others(way, seen_seconds(way, work).value_or(0));
}

}  // namespace duoblas
