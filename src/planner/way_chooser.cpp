#include "planner/way_chooser.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace duoblas {

// A program of few calls may end before it has kept what a look showed, and a later one would look
// again. So a look that costs much of this process's time is made only once its price is stored.
Way WayChooser::choose(const CallClass& call, std::span<const WayEstimate> ways) {
  std::unique_lock lock(mutex_);
  const bool may_store = store_ && seconds_here_ >= 2 * not_stored_at_;
  WayClass& known = classes_[call.key];
  const WayClass before = known;
  const WayClass::Choice choice = known.choose(ways, call.work, may_store);
  if (!choice.is_dear) return choice.way;
  lock.unlock();
  const bool is_stored = store_();
  lock.lock();
  if (is_stored) return choice.way;
  not_stored_at_ = seconds_here_;
  // Other threads have observed calls of this class meanwhile.
  WayTime& chosen = classes_[call.key].of(choice.way);
  chosen.trial = before.of(choice.way).trial;
  chosen.known.unseen = before.of(choice.way).known.unseen;
  return choice.best;
}

void WayChooser::observe(const CallClass& call, Way way, double seconds) noexcept try {
  if (!(seconds > 0 && call.work > 0 && std::isfinite(seconds))) return;
  std::function<void()> changed;
  {
    const std::lock_guard guard(mutex_);
    seconds_here_ += seconds;
    const bool is_news = classes_[call.key].observe(way, seconds, call.work);
    // What programs of few calls have seen adds up only if they tell soon.
    if (changed_ && is_stored(call.key) && (is_news || seconds_here_ >= 2 * told_at_)) {
      told_at_ = seconds_here_;
      changed = changed_;
    }
  }
  if (changed) changed();
} catch (const std::bad_alloc&) {
  // The next call like it may be remembered.
}

std::optional<double> WayChooser::seen_seconds(const CallClass& call, Way way) {
  const std::lock_guard guard(mutex_);
  const auto known = classes_.find(call.key);
  return known == classes_.end() ? std::nullopt : known->second.seen_seconds(way, call.work);
}

double WayChooser::least_plain_seconds(const CallClass& call, double estimate) {
  return seen_seconds(call, Way::plain).value_or(least_of_plain * estimate);
}

// The sides of a job are ways of the whole call by one side alone.
void WayChooser::observe_sides(const CallClass& call, double share, double device_seconds,
                               double cpu_seconds) noexcept try {
  const std::lock_guard guard(mutex_);
  WayClass& sides = sides_[call.key];
  if (share == 1) sides.passed(Way::job, 1);
  if (!(share > 0 && share < 1 && device_seconds > 0 && cpu_seconds > 0)) return;
  sides.observe(Way::job, device_seconds / share, 1);
  sides.observe(Way::plain, cpu_seconds / (1 - share), 1);
} catch (const std::bad_alloc&) {
  // As above.
}

std::optional<double> WayChooser::balanced_share(const CallClass& call, double least_of_cpu) {
  const std::lock_guard guard(mutex_);
  const auto known = sides_.find(call.key);
  if (known == sides_.end()) return {};
  const auto device = known->second.seen_seconds(Way::job, 1);
  const auto cpu = known->second.seen_seconds(Way::plain, 1);
  if (!device || !cpu) return {};
  const double due = *device / (*device + *cpu);
  if (due >= least_of_cpu / 2) return 1 - due;
  // The CPU's side would take longer than the device takes for all, by as much as its part is
  // larger than its due.
  const double excess = least_of_cpu / std::max(due, 1e-9) - 1;
  return known->second.pay_for_look(Way::plain, excess * *device) ? 1 - least_of_cpu : 1;
}

void WayChooser::tell(std::function<void()> changed, std::function<bool()> store) {
  const std::lock_guard guard(mutex_);
  changed_ = std::move(changed);
  store_ = std::move(store);
}

}  // namespace duoblas
