#include "engine/outlays.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "facts/rates.hpp"
#include "planner/learner.hpp"

namespace duoblas {
namespace {

// Classes whose seconds are added up separately; any further class gains all of its time. HPL has
// 40.
constexpr std::size_t most_classes = 64;

// What took longer than before may have been disturbed.
double learned(double known, double took, double weight = 0.25) {
  return known > 0 ? known + weight * (took - known) : took;
}

// What this thread's call has paid for checks that were not made yet. One call may check several
// results, or fewer than it launches.
struct PaidChecks {
  const Outlays* by = nullptr;
  double rest = 0;
};
constinit thread_local PaidChecks paid_checks{};

}  // namespace

GemmProblem without_matrices(GemmProblem product) {
  product.a = product.b = nullptr;
  product.c = nullptr;
  return product;
}

std::uint32_t account_class(const GemmProblem& product) {
  return static_cast<std::uint32_t>(kind_of(product, {}).call);
}

Outlays::Outlays(const Settings& settings, SteadySeconds clock)
    : settings_(settings), clock_(clock), is_told_(settings.start_ms.has_value()) {
  if (paid_checks.by == this) paid_checks = {};  // that one was destroyed
}

void Outlays::begin_program(CallsOfRun calls) {
  const std::lock_guard guard(mutex_);
  if (!settings_.adapt || !settings_.history || is_told_) return;
  history_.emplace(settings_);
  sums_ = history_->sums();
  costs_ = sums_.costs;
  until_ready_.store(costs_.until_ready, std::memory_order_relaxed);
  calls_of_run_ = calls;
  known_calls_ = history_->calls();
  const auto earlier = history_->known(costs_.start());
  if (earlier) known_seconds_ = earlier->seconds;
  if (earlier) known_promise_ = earlier->promised;
  account_ = Account(costs_, earlier, sums_.ledger.trust());
}

void Outlays::add(std::uint32_t of_class, double gain, double seconds) noexcept try {
  const double end = clock_();
  const std::lock_guard guard(mutex_);
  account_.promise(account_.cover(end - seconds, end, of_class), gain);
} catch (const std::bad_alloc&) {
  // It counts for nothing.
}

void Outlays::add(const GemmProblem& product, double seconds) noexcept try {
  const double end = clock_();
  const std::uint32_t kind = account_class(product);
  const std::lock_guard guard(mutex_);
  const Account::Covered call = account_.cover(end - seconds, end, kind);
  auto known = std::ranges::find(unasked_, kind, [](const Unasked& u) { return u.calls.of_class; });
  if (known == unasked_.end()) {
    if (unasked_.size() >= most_classes) return account_.promise(call, 1);
    known = unasked_.insert(known, {without_matrices(product), {kind}});
  }
  known->calls += call;
  unasked_seconds_ += call.seconds;
} catch (const std::bad_alloc&) {
  // As above.
}

void Outlays::ask(const Promise& promise) {
  for (; !unasked_.empty(); unasked_.pop_back())
    account_.promise(unasked_.back().calls, promise(unasked_.back().product).value_or(1));
  unasked_seconds_ = 0;
}

bool Outlays::start_pays(const Promise& promise, const std::optional<GemmProblem>& next) {
  if (starts_.load(std::memory_order_relaxed)) return true;
  const double now = clock_();
  const std::uint32_t kind = next ? account_class(*next) : other_calls;
  const std::lock_guard guard(mutex_);
  if (starts_.load(std::memory_order_relaxed)) return true;  // another thread's call was first
  if (is_told_) {
    if (!(account_.seconds() >= 1e-3 * *settings_.start_ms)) return false;
  } else {
    if (!account_.start_pays(now, kind, unasked_seconds_)) return false;
    is_hope_ = account_.is_hope(kind);
    if (is_hope_ && unasked_seconds_ > 0) {
      // An estimate takes 2 us, as a plan does, so it is not made for each call of 40 us.
      if (unasked_seconds_ < Learner::free_seconds) return false;
      ask(promise);
      if (!account_.start_pays(now, kind)) return false;
    }
    if (is_hope_ && !sums_.ledger.allows(account_.start_cost())) return false;
  }
  account_.start(now, kind, is_told_);
  note_start(now);
  return true;
}

void Outlays::note_start(double now) {
  started_ = now;
  seconds_before_ = account_.seconds();
  starts_.store(true, std::memory_order_relaxed);
}

bool Outlays::start_pays_at_begin() {
  const std::lock_guard guard(mutex_);
  if (!account_.start_pays_at_begin() || starts_) return false;
  account_.start_at_begin();
  note_start(clock_());
  return true;
}

std::optional<bool> Outlays::is_next_to_start() const {
  const std::lock_guard guard(mutex_);
  return is_next_to_start_;
}

// A start that takes longer than others, beside another one, say, counts little; one that is
// quicker shows what a start takes.
void Outlays::note_ready(double building) noexcept try {
  const double now = clock_();
  {
    const std::lock_guard guard(mutex_);
    if (started_ < 0) return;
    ready_after_ = now - started_;
    const double took = std::max(0.0, ready_after_ - building);
    double& known = costs_.until_ready;
    known = took < known ? took : learned(known, took);
    measured_.until_ready = true;
  }
  remember_costs();
} catch (const std::exception&) {
  // Later processes believe what they believed before.
}

void Outlays::note_useless() noexcept {
  const std::lock_guard guard(mutex_);
  is_useless_ = true;
}

std::optional<double> Outlays::pays(Outlay what, std::uint32_t of_class,
                                    std::optional<double> missed, const OutlayPrice& price,
                                    const Gains& gains, const Account::GainsOfClasses& by_class) {
  const std::lock_guard guard(mutex_);
  if (what == Outlay::checks && paid_checks.by == this)
    account_.correct(Outlay::checks, -std::exchange(paid_checks.rest, 0));
  const auto paid = account_.pays(what, of_class, missed, price, gains, by_class);
  if (paid && what == Outlay::checks) paid_checks = {this, *paid};
  return paid;
}

void Outlays::miss(double missed, std::uint32_t of_class) noexcept {
  const std::lock_guard guard(mutex_);
  account_.miss(of_class, missed);
}

double Outlays::build_seconds(bool device_is_cpu) const noexcept {
  const std::lock_guard guard(mutex_);
  if (costs_.build > 0) return costs_.build;
  return device_is_cpu ? rates::seconds_of_build_for_cpu : rates::seconds_of_build_for_gpu;
}

void Outlays::order(double paid) noexcept {
  const std::lock_guard guard(mutex_);
  ordered_ += paid;
}

void Outlays::note_build(double seconds, int cores, double paid, bool is_new) noexcept {
  const std::lock_guard guard(mutex_);
  ordered_ -= paid;
  const double took = seconds / std::max(1, cores);
  account_.correct(Outlay::builds, took - paid);
  if (!is_new) return account_.note_load(took);
  costs_.build = learned(costs_.build, seconds);
  measured_.build = true;
}

double Outlays::check_factor() const noexcept {
  const std::lock_guard guard(mutex_);
  return costs_.checks;
}

void Outlays::note_check(double expected, double seconds) noexcept {
  if (!(expected > 0)) return;
  const std::lock_guard guard(mutex_);
  if (paid_checks.by != this) paid_checks = {};
  const double paid = std::min(expected, paid_checks.rest);
  paid_checks.rest -= paid;
  account_.correct(Outlay::checks, seconds - paid);
  costs_.checks = learned(costs_.checks, costs_.checks * seconds / expected);
  measured_.checks = true;
}

// Of calls for which no promise was asked, the device promises what it did in earlier runs. Without
// those it cannot have paid, whatever it saves: else somebody would have asked.
ProgramWork Outlays::work(const Gains& gains, std::span<const ClassGain> by_class) const {
  Account all = account_;
  for (const Unasked& some : unasked_) all.promise(some.calls, known_promise_);
  const ProgramWork work = all.work(gains, by_class);
  return is_useless_ ? ProgramWork{.seconds = work.seconds, .kept = 0} : work;
}

bool Outlays::is_turn_to_keep() noexcept {
  return history_ && std::has_single_bit(calls_.fetch_add(1, std::memory_order_relaxed) + 1);
}

// Files are written without the mutex, for which calls of other threads would wait.
ProgramWork Outlays::work_so_far(const Gains& gains, std::span<const ClassGain> by_class) const {
  const std::lock_guard guard(mutex_);
  return work(gains, by_class);
}

// What was only read may have been measured by another process meanwhile. What processes learn of
// one cost at once is the same.
void Outlays::tell_measured(OutlayCosts& kept) const {
  if (measured_.until_ready) kept.until_ready = costs_.until_ready;
  if (measured_.beside) kept.beside = costs_.beside;
  if (measured_.build) kept.build = costs_.build;
  if (measured_.checks) kept.checks = costs_.checks;
}

void Outlays::remember_costs() const {
  if (!history_) return;
  history_->update([this](ProgramHistory::Sums& sums) {
    const std::lock_guard guard(mutex_);
    tell_measured(sums.costs);
  });
}

void Outlays::keep(const Gains& gains, std::span<const ClassGain> by_class) noexcept try {
  const ProgramWork now = work_so_far(gains, by_class);
  if (history_ && now.seconds > std::max(known_seconds_, Learner::free_seconds))
    history_->remember(now, calls_of_run_(known_calls_), HistoryFile::in_a_call);
} catch (const std::exception&) {
  // Memory is short: later runs do not get it.
}

void Outlays::note_end(const Gains& gains, const Promise& promise,
                       std::span<const ClassGain> by_class) noexcept try {
  if (!history_) return;
  const bool started = starts_.load(std::memory_order_relaxed);
  if (!started && work_so_far(gains, by_class).seconds < Learner::free_seconds) return;
  try {
    const std::lock_guard guard(mutex_);
    account_.correct(Outlay::builds, -std::exchange(ordered_, 0));
    // Else a promise that was broken once would never be heard again. To ask takes milliseconds.
    if (unasked_seconds_ > costs_.start()) ask(promise);
  } catch (const std::exception&) {
    // What it keeps is what is known without.
  }
  const ProgramWork now = work_so_far(gains, by_class);
  history_->remember(now, calls_of_run_(known_calls_));
  double spent = 0;
  bool hoped = false;
  {
    const std::lock_guard guard(mutex_);
    is_next_to_start_ = now.repays(costs_.start());
    hoped = started_ >= 0 && is_hope_;
    if (hoped && gains.worked > 0) {
      costs_.beside = learned(costs_.beside, account_.spent_beside());
      measured_.beside = true;
    }
    spent = account_.spent();
  }
  history_->update([&](ProgramHistory::Sums& sums) {
    sums.ledger.add(now.seconds, spent, gains.won, hoped);  // loads are spent, too
    const std::lock_guard guard(mutex_);
    tell_measured(sums.costs);
  });
} catch (const std::exception&) {
  // As above.
}

std::string Outlays::told_of_start(const Gains& gains, const ProgramWork& now) const {
  char line[200] = "";
  if (ready_after_ >= 0)
    std::snprintf(
        line, sizeof line,
        "the device: started after %.2f s of calls, ready %.2f s later; calls with it took "
        "%.2f s %s than the CPU alone\n",
        seconds_before_, ready_after_, std::abs(gains.won), gains.won < 0 ? "more" : "less");
  else if (started_ >= 0)
    std::snprintf(line, sizeof line,
                  "the device: started after %.2f s of calls, and not ready before the end\n",
                  seconds_before_);
  else if (history_)
    std::snprintf(line, sizeof line,
                  "the device: not started. From the first call on it would have saved about "
                  "%.2f s, and a start loses %.2f s%s\n",
                  now.gain, account_.start_cost(),
                  now.repays(costs_.start()) ? ": the next run starts it at once" : "");
  return line;
}

std::string Outlays::account(const Gains& gains, double looks,
                             std::span<const ClassGain> by_class) const {
  constexpr std::pair<Outlay, const char*> names[] = {
      {Outlay::start, "start"}, {Outlay::builds, "builds"}, {Outlay::checks, "first checks"}};
  const std::lock_guard guard(mutex_);
  const ProgramWork now = work(gains, by_class);
  if (is_useless_ || now.seconds < Learner::free_seconds) return "";
  std::string text = told_of_start(gains, now);
  char line[160];
  double cost = looks;
  for (const auto& [what, name] : names) {
    const Account::Entry& entry = account_.of(what);
    if (entry.count == 0 && entry.cost == 0) continue;
    std::snprintf(line, sizeof line, "outlay: %-12s %4d  cost %.3f s, expected to bring %.2f s\n",
                  name, entry.count, entry.cost, entry.expected);
    text += line;
    cost += entry.cost;
  }
  if (looks > 0) {
    std::snprintf(line, sizeof line, "outlay: looks at other ways  cost %.3f s\n", looks);
    text += line;
  }
  if (cost <= 0) return text;
  std::snprintf(line, sizeof line, "outlays in sum: cost %.3f s, and brought %.2f s\n", cost,
                gains.won);
  return text + line;
}

}  // namespace duoblas
