#include "dropin/engine/start_policy.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <new>

#include "planner/learner.hpp"

namespace duoblas {
namespace {

// Classes whose seconds are added up separately; any further class gains all of its time. HPL has
// 40.
constexpr std::size_t most_classes = 64;

// An estimate takes 2 us, as a plan does, so it is not made for each call of 40 us: calls of so
// much of what a start loses are asked for together.
constexpr double asked_part = 0.1;

// Programs with less leave no trace: to keep it takes 0.1 ms.
constexpr double least_kept_seconds = 0.02;

// The class of a call for which what the device saves is known.
constexpr std::uint32_t streams = 0;

std::uint32_t class_of(const GemmProblem& product) {
  return static_cast<std::uint32_t>(kind_of(product, {}).call);
}

GemmProblem without_matrices(GemmProblem problem) {
  problem.a = problem.b = nullptr;
  problem.c = nullptr;
  return problem;
}

std::optional<ProgramHistory> history_of(const Settings& settings) {
  if (!settings.adapt || !settings.history || settings.start_ms) return std::nullopt;
  return ProgramHistory(settings);
}

}  // namespace

StartPolicy::StartPolicy(const Settings& settings, SteadySeconds clock)
    : clock_(clock),
      history_(history_of(settings)),
      starts_(history_ ? history_->starts() : ProgramHistory::Starts{}),
      earlier_(history_ ? history_->known(starts_.cost) : std::nullopt),
      is_told_(settings.start_ms.has_value()),
      told_seconds_(1e-3 * settings.start_ms.value_or(0)),
      account_(starts_.cost, earlier_) {}

void StartPolicy::add(double gain, double seconds) noexcept try {
  const double end = clock_();
  const std::lock_guard guard(mutex_);
  account_.promise(account_.cover(end - seconds, end, streams), gain);
} catch (const std::bad_alloc&) {
  // It counts for nothing.
}

void StartPolicy::add(const GemmProblem& product, double seconds) noexcept try {
  const double end = clock_();
  const std::uint32_t kind = class_of(product);
  const std::lock_guard guard(mutex_);
  const StartAccount::Covered call = account_.cover(end - seconds, end, kind);
  auto known = std::ranges::find(unasked_, kind, &Unasked::kind);
  if (known == unasked_.end()) {
    if (unasked_.size() >= most_classes) return account_.promise(call, 1);
    known = unasked_.insert(known, {kind, without_matrices(product), {}});
  }
  known->calls.seconds += call.seconds;
  known->calls.late += call.late;
  unasked_seconds_ += call.seconds;
} catch (const std::bad_alloc&) {
  // As above.
}

void StartPolicy::ask(const Promise& promise) {
  for (; !unasked_.empty(); unasked_.pop_back())
    account_.promise(unasked_.back().calls, promise(unasked_.back().product).value_or(1));
  unasked_seconds_ = 0;
}

bool StartPolicy::pays(const Promise& promise, const std::optional<GemmProblem>& next) {
  if (pays_.load(std::memory_order_relaxed)) return true;
  const double now = clock_();
  const std::lock_guard guard(mutex_);
  if (is_told_) {
    if (!(account_.seconds() >= told_seconds_)) return false;
  } else {
    const std::uint32_t kind = next ? class_of(*next) : streams;
    if (!account_.pays(now, kind, unasked_seconds_)) return false;
    if (account_.is_hope(kind) && unasked_seconds_ > 0) {
      if (unasked_seconds_ < asked_part * starts_.cost.lost()) return false;
      ask(promise);
      if (!account_.pays(now, kind)) return false;
    }
    if (account_.is_hope(kind) && !starts_.ledger.allows(starts_.cost)) return false;
  }
  note_start(now);
  return true;
}

void StartPolicy::note_start(double now) {
  started_ = now;
  seconds_before_ = account_.seconds();
  pays_.store(true, std::memory_order_relaxed);
}

bool StartPolicy::pays_at_begin() {
  const std::lock_guard guard(mutex_);
  if (!earlier_ || !repays(*earlier_) || pays_) return false;
  note_start(clock_());
  return true;
}

bool StartPolicy::is_next_to_start() const {
  const std::lock_guard guard(mutex_);
  return is_next_to_start_;
}

void StartPolicy::note_product(const GemmProblem& problem) noexcept {
  const std::lock_guard guard(mutex_);
  if (largest_ && flops(*largest_) >= flops(problem)) return;
  largest_ = without_matrices(problem);
}

std::optional<GemmProblem> StartPolicy::largest_product() const {
  const std::lock_guard guard(mutex_);
  return largest_;
}

// A start that takes longer than others, beside another one, say, counts little; one that is
// quicker shows what a start takes.
void StartPolicy::note_ready(double building) noexcept try {
  constexpr double weight_of_longer = 0.25;
  const double now = clock_();
  const std::lock_guard guard(mutex_);
  if (started_ < 0) return;
  ready_after_ = now - started_;
  const double took = std::max(0.0, ready_after_ - building);
  if (!history_) return;
  ProgramHistory::Starts starts = history_->starts();
  double& known = starts.cost.until_ready;
  known = took < known ? took : known + weight_of_longer * (took - known);
  history_->remember(starts);
} catch (const std::exception&) {
  // Later processes believe what they believed before.
}

void StartPolicy::note_useless() noexcept {
  const std::lock_guard guard(mutex_);
  is_useless_ = true;
}

// Of calls for which no promise was asked, the device saves what it saved in earlier runs. Without
// those it cannot have paid, whatever it saves: else somebody would have asked.
ProgramWork StartPolicy::work(const Gains& gains) const {
  StartAccount all = account_;
  for (const Unasked& some : unasked_) all.promise(some.calls, earlier_ ? earlier_->rate : 1);
  const ProgramWork work = all.work(gains);
  return is_useless_ ? ProgramWork{work.seconds} : work;
}

bool StartPolicy::is_turn_to_keep() noexcept {
  return history_ && std::has_single_bit(calls_.fetch_add(1, std::memory_order_relaxed) + 1);
}

// Files are written without the mutex, for which calls of other threads would wait.
ProgramWork StartPolicy::work_so_far(const Gains& gains) const {
  const std::lock_guard guard(mutex_);
  return work(gains);
}

void StartPolicy::keep(const Gains& gains) noexcept try {
  const ProgramWork now = work_so_far(gains);
  const bool is_longer = !earlier_ || now.seconds > earlier_->seconds;
  if (history_ && is_longer && now.seconds >= least_kept_seconds) history_->remember(now);
} catch (const std::exception&) {
  // Memory is short: later runs do not get it.
}

void StartPolicy::note_end(const Gains& gains, const Promise& promise) noexcept try {
  if (!history_) return;
  const bool started = pays_.load(std::memory_order_relaxed);
  if (!started && work_so_far(gains).seconds < least_kept_seconds) return;
  try {
    // Else a promise that was broken once would never be heard again. To ask takes milliseconds.
    const std::lock_guard guard(mutex_);
    if (unasked_seconds_ > starts_.cost.lost()) ask(promise);
  } catch (const std::exception&) {
    // What it keeps is what is known without.
  }
  const ProgramWork now = work_so_far(gains);
  history_->remember(now);
  {
    const std::lock_guard guard(mutex_);
    is_next_to_start_ = repays(now);
  }
  ProgramHistory::Starts starts = history_->starts();
  starts.ledger.add(now.seconds, starts_.cost,
                    started ? std::optional(std::max(0.0, gains.won)) : std::nullopt);
  history_->remember(starts);
} catch (const std::exception&) {
  // As above.
}

std::string StartPolicy::account(const Gains& gains) const {
  const std::lock_guard guard(mutex_);
  const ProgramWork now = work(gains);
  char line[200] = "";
  if (is_useless_ || now.seconds < least_kept_seconds) return line;
  if (ready_after_ >= 0)
    std::snprintf(
        line, sizeof line,
        "the device: started after %.2f s of calls, ready %.2f s later; calls with it took "
        "%.2f s less than the CPU alone\n",
        seconds_before_, ready_after_, gains.won);
  else if (started_ >= 0)
    std::snprintf(line, sizeof line,
                  "the device: started after %.2f s of calls, and not ready before the end\n",
                  seconds_before_);
  else if (history_)
    std::snprintf(
        line, sizeof line,
        "the device: not started. From the first call on it would have saved about %.2f s, "
        "and a start loses %.2f s%s\n",
        now.gain, starts_.cost.lost(), repays(now) ? ": the next run starts it at once" : "");
  return line;
}

}  // namespace duoblas
