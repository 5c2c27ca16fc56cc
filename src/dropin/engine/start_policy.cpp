#include "dropin/engine/start_policy.hpp"

#include <algorithm>
#include <new>

#include "facts/rates.hpp"
#include "planner/unseen_seconds.hpp"

namespace duoblas {
namespace {

constexpr double usual_seconds = rates::call_seconds_before_start;

// From this gain on a call counts in full: a second of such calls has missed what a start takes.
constexpr double full_gain = rates::worthwhile_seconds / usual_seconds;

// Classes whose seconds are added up separately; any further class counts in full. HPL has 40.
constexpr std::size_t most_classes = 64;

// An estimate takes 2 us, as a plan does, so it is not made for each call of 40 us.
constexpr double seconds_between_promises = 0.05;

GemmProblem without_matrices(GemmProblem problem) {
  problem.a = problem.b = nullptr;
  problem.c = nullptr;
  return problem;
}

// The seconds that count.
double likely_seconds(double seconds, double gain) {
  return seconds * std::clamp(gain / full_gain, 0.0, 1.0);
}

// `all`: seconds of the CPU alone. `gain`: the part of them that the device saves.
bool would_gain(double all, double gain) {
  return (all - rates::seconds_until_ready) * gain > rates::worthwhile_seconds;
}

}  // namespace

StartPolicy::StartPolicy(const Settings& settings) : needed_(usual_seconds) {
  if (settings.start_ms) {
    needed_ = 1e-3 * *settings.start_ms;
    is_told_ = true;
    return;
  }
  if (!settings.adapt) return;
  history_.emplace(settings.cache_dir);
  const std::optional<KnownStart> known = history_->known();
  is_known_ = known.has_value();
  if (!is_known_) {
    next_ = start_after_a_start({}, usual_seconds);
    return;
  }
  known_ = *known;
  next_ = start_after_a_start(known_.after, usual_seconds);
  const bool is_paid = UnseenSeconds::part * known_.waited >= rates::worthwhile_seconds;
  needed_ = is_paid ? std::min(known_.after, usual_seconds) : known_.after;
  if (needed_ > usual_seconds) next_note_ = usual_seconds;
}

void StartPolicy::see(double seconds) noexcept {
  double before = seen_.load(std::memory_order_relaxed);
  while (!seen_.compare_exchange_weak(before, before + seconds, std::memory_order_relaxed)) {
  }
}

// A run that ends before its start tells nobody, so it tells now and then: after 1, 2, 4 ...
// seconds.
void StartPolicy::note_wait() noexcept {
  const double seen = seen_.load(std::memory_order_relaxed);
  double at = next_note_.load(std::memory_order_relaxed);
  if (seen < at || !next_note_.compare_exchange_strong(at, 2 * seen)) return;
  try {
    const std::optional<KnownStart> now = history_->known();
    if (!now || now->after != known_.after) return;  // another run has found out more meanwhile
    history_->remember({known_.after, known_.waited + seen});
  } catch (const std::bad_alloc&) {
    // Memory is short: later runs do not get the number.
  }
}

void StartPolicy::add(double gain, double seconds) noexcept {
  const double likely = likely_seconds(seconds, gain);
  see(likely);
  const std::lock_guard guard(mutex_);
  likely_ += likely;
}

void StartPolicy::add(const GemmProblem& product, double seconds) noexcept {
  see(seconds);
  const std::uint64_t kind = kind_of(product, {}).call;
  const std::lock_guard guard(mutex_);
  const auto known = std::ranges::find(waiting_, kind, &Waiting::kind);
  if (known == waiting_.end() && waiting_.size() >= most_classes) {
    likely_ += seconds;
    return;
  }
  if (known != waiting_.end()) {
    known->seconds += seconds;
  } else {
    try {
      waiting_.push_back({kind, without_matrices(product), seconds});
    } catch (const std::bad_alloc&) {
      return;
    }
  }
  waiting_seconds_ += seconds;
}

bool StartPolicy::pays(const Promise& promise) {
  if (!(seen_.load(std::memory_order_relaxed) >= needed_)) {
    note_wait();
    return false;
  }
  if (is_told_ || pays_.load(std::memory_order_relaxed)) return true;
  const std::lock_guard guard(mutex_);
  if (likely_ + waiting_seconds_ < needed_) return false;
  if (waiting_seconds_ > 0 && waiting_seconds_ < seconds_between_promises) return false;
  while (!waiting_.empty()) {
    const Waiting& some = waiting_.back();
    likely_ += likely_seconds(some.seconds, promise(some.product).value_or(1));
    waiting_.pop_back();
  }
  waiting_seconds_ = 0;
  if (likely_ >= needed_) pays_.store(true, std::memory_order_relaxed);
  return likely_ >= needed_;
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

void StartPolicy::note_start(double gain) const {
  if (!history_) return;
  const double seen = seen_.load(std::memory_order_relaxed);
  const bool promises = !is_known_ && would_gain(seen, gain);
  history_->remember({promises ? 0 : next_, 0});
}

bool StartPolicy::is_won(const Gains& gains) noexcept {
  if (!history_ || is_won_.load(std::memory_order_relaxed)) return false;
  return would_have_gained(seen_.load(std::memory_order_relaxed), gains) && !is_won_.exchange(true);
}

void StartPolicy::note_won() const {
  if (history_) history_->remember({});
}

bool would_have_gained(double before, const Gains& gains) noexcept {
  const double on_cpu = gains.with_gpu + gains.won;
  if (!(gains.won > 0) || !(on_cpu > 0)) return false;
  // As if the device gained in all calls what it gained in the calls that it did.
  return would_gain(before + gains.worked + gains.won, gains.won / on_cpu);
}

}  // namespace duoblas
