#include "planner/lapack_selector.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace duoblas {
namespace {

// A call after one of the other provider runs beside threads that wait for its next one, spinning.
// On 16 cores our side took 58 and 66 ms beside them for what takes 15 (automatic_plan.cpp).
constexpr double disturbed = 4.4;

}  // namespace

LapackSelector::Kind LapackSelector::kind_of(const LapackProblem& p) {
  return {p.routine, p.precision, p.uplo, std::ilogb(flops(p)), p.right_sides > 1};
}

// Our calls since the program's library was seen may have lost what they took over sure_gain of its
// estimate. Once that is what a try is expected to cost, the try is paid.
bool LapackSelector::is_try_paid(const Provider& of_program, double ours, double programs) {
  const int calls = RecentTimes::until_known - of_program.times.seen;
  return of_program.unseen.all() * (1 - sure_gain * programs / ours) >= calls * (programs - ours);
}

// Charged even if the call fails or is done otherwise, and so shows nothing. A price that is high
// for this process is stored first, since it may end before it has kept what the try shows.
bool LapackSelector::pay_for(Provider& other, double costs, std::unique_lock<std::mutex>& lock) {
  const UnseenSeconds unseen = other.unseen;
  const bool is_paid_here = unseen.pay_for(costs);
  if (!is_paid_here && !(store_ && costs < UnseenSeconds::part * unseen.all())) return false;
  if (!is_paid_here && seconds_here_ < 2 * not_stored_at_) return false;
  other.unseen = {};
  if (is_paid_here) return true;
  lock.unlock();
  const bool is_stored = store_();
  lock.lock();
  if (is_stored) return true;
  not_stored_at_ = seconds_here_;
  other.unseen.here += unseen.here;
  other.unseen.before += unseen.before;
  return false;
}

LapackProvider LapackSelector::choose(const LapackProblem& p, double ours, double programs) {
  std::unique_lock lock(mutex_);
  auto& [of_program, of_ours] = kinds_[kind_of(p)];
  if (of_ours.times.is_known()) ours = of_ours.times.per_flop() * flops(p);
  if (of_program.times.is_known()) programs = of_program.times.per_flop() * flops(p);
  const bool both = of_ours.times.is_known() && of_program.times.is_known();
  bool is_ours = both ? ours < programs
                      : ours < (of_program.times.is_known() ? worth_a_try : sure_gain) * programs;
  if (!is_ours && of_ours.times.is_known() && !of_program.times.is_known())
    is_ours = !is_try_paid(of_program, ours, programs);
  Provider& other = is_ours ? of_program : of_ours;
  const double least = is_ours ? ours : programs, costs = (is_ours ? programs : ours) - least;
  const bool is_doubted = other.is_doubted && costs < (worth_a_try - 1) * least;
  // A provider that is expected to be faster but is not chosen has its own reasons to wait.
  const bool goes_on = costs > 0 && std::exchange(other.goes_on, false);
  const bool explores =
      costs > 0 && (goes_on || is_doubted ||
                    pay_for(other, std::max(costs, other.lost_per_flop * flops(p)), lock));
  if (explores) {
    other.is_second = goes_on;
    other.unseen = {};
    other.is_exploration = true;
    other.is_doubted = false;
  }
  return is_ours != explores ? LapackProvider::ours : LapackProvider::programs;
}

// What a time is compared with that would decide alone; 0: it would not, or nothing is known.
double LapackSelector::known_per_flop(const Provider& done, const Provider& other) {
  if (done.times.is_known() && !done.is_exploration)
    return done.times.seen == RecentTimes::until_known ? done.times.per_flop() : 0;
  if (done.times.seen == 0) return 0;
  return other.times.is_known() && !(done.first > 0 && done.first < other.times.per_flop())
             ? other.times.per_flop()
             : done.first;
}

// Whether a provider's first call in this process counts.
bool LapackSelector::counts_at_once(Provider& done, const Provider& other, double per_flop) {
  done.lone_calls = std::min(done.lone_calls + 1, enough_lone_calls);
  const bool is_faster =
      done.is_exploration && other.times.is_known() && per_flop < other.times.per_flop();
  return is_faster || done.lone_calls == enough_lone_calls;
}

// Whether a provider's first call in this process says no more than what a start takes.
bool LapackSelector::is_only_a_start(Provider& done, const Provider& other, double per_flop) {
  if (counts_at_once(done, other, per_flop)) {
    done.times.seen = std::max(done.times.seen, 1);
    return false;
  }
  done.goes_on = done.is_exploration && done.times.is_known();
  if (done.goes_on)
    done.lost_per_flop = std::max(0.0, per_flop - other.times.per_flop());
  else
    done.is_exploration = false;
  if (done.times.seen == 0) {
    done.first = per_flop;
    done.times.seen = 1;
  }
  return true;
}

// A try counts alone: the earlier times may be the reason why nobody has looked. If it was slower,
// but not far, a second call is to follow.
void LapackSelector::learn_try(Provider& done, const Provider& other, double per_flop) {
  done.times.seen = 1;
  if (!other.times.is_known()) return;
  const double others = other.times.per_flop();
  if (!done.is_second) done.lost_per_flop = 0;
  done.lost_per_flop += std::max(0.0, per_flop - others);
  done.goes_on = !done.is_second && per_flop >= others && per_flop < disturbed * others;
}

// Returns whether the order of the two, or that a time is known, is news.
bool LapackSelector::learn(Provider& done, Provider& other, double seconds, double flops) {
  const double per_flop = seconds / flops;
  const bool is_first = !std::exchange(done.has_begun, true);
  // What a start takes longer pays for no try.
  other.unseen.add(is_first && done.times.is_known()
                       ? std::min(seconds, done.times.per_flop() * flops)
                       : seconds);
  if (!is_first)
    done.lone_calls = 0;
  else if (is_only_a_start(done, other, per_flop))
    return false;
  if (done.doubted.is_passing(per_flop, known_per_flop(done, other))) {
    done.unseen = {};
    done.is_exploration = false;
    return false;
  }
  const bool was_known = done.times.is_known();
  const auto is_better = [&] {
    return done.times.is_known() && other.times.is_known() &&
           done.times.per_flop() < other.times.per_flop();
  };
  const bool was_better = is_better();
  if (std::exchange(done.is_exploration, false) && was_known) learn_try(done, other, per_flop);
  if (done.recalled.is_outdated_by(per_flop))
    other.is_doubted = other.times.is_known() && !other.has_begun;
  done.times.saw(seconds, flops);
  if (!done.times.is_known()) return false;
  done.unseen = {};
  done.is_doubted = false;
  return !was_known || was_better != is_better();
}

void LapackSelector::saw(const LapackProblem& p, LapackProvider provider, double seconds) noexcept
    try {
  std::function<void()> changed;
  {
    const std::lock_guard guard(mutex_);
    Providers& providers = kinds_[kind_of(p)];
    Provider& done = providers[static_cast<std::size_t>(provider)];
    Provider& other = providers[1 - static_cast<std::size_t>(provider)];
    seconds_here_ += seconds;
    const bool is_news = learn(done, other, seconds, flops(p));
    // What programs of few calls have seen adds up only if they tell soon.
    if (changed_ && (is_news || seconds_here_ >= 2 * told_at_)) {
      told_at_ = seconds_here_;
      changed = changed_;
    }
  }
  if (changed) changed();
} catch (const std::bad_alloc&) {
  // The next call like it may be remembered.
}

double LapackSelector::seconds_of_program(const LapackProblem& p, double programs) {
  const std::lock_guard guard(mutex_);
  const auto kind = kinds_.find(kind_of(p));
  if (kind == kinds_.end()) return sure_gain * programs;
  const RecentTimes& times = kind->second[static_cast<std::size_t>(LapackProvider::programs)].times;
  return times.is_known() ? times.per_flop() * flops(p) : sure_gain * programs;
}

void LapackSelector::tell(std::function<void()> changed, std::function<bool()> store) {
  const std::lock_guard guard(mutex_);
  changed_ = std::move(changed);
  store_ = std::move(store);
}

}  // namespace duoblas
