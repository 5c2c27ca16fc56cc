#include "engine/call_learner.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "engine/caller_blas.hpp"

namespace duoblas {
namespace {

constinit thread_local int depth = 0;

// A program of a second or two should keep something; one that computes for hours should not write
// all the time, so each pause is twice the one before.
constexpr std::chrono::milliseconds first_pause(300);

LearnerPrior prior_of(bool borrowed) {
  return borrowed ? prior_of_borrowed_profile() : LearnerPrior{};
}

// 2^32 changes of each.
std::uint64_t first_change() {
  static constinit std::atomic<std::uint64_t> learners{0};
  return ++learners << 32;
}

}  // namespace

CallLearner::CallLearner() : changes_(first_change()) {}

CallLearner::CallInProgress CallLearner::begin() noexcept {
  CallInProgress call;
  call.is_outermost = depth++ == 0;
  if (call.is_outermost) {
    in_flight_.fetch_add(1);
    begun_.fetch_add(1);
  }
  call.contended = in_flight_.load() > 1;
  call.begun = begun_.load();
  return call;
}

bool CallLearner::end(const CallInProgress& call) noexcept {
  const bool contended = call.contended || begun_.load() != call.begun;
  --depth;
  if (call.is_outermost) in_flight_.fetch_sub(1);
  return contended;
}

bool CallLearner::is_contended() const noexcept {
  return in_flight_.load(std::memory_order_relaxed) > (depth > 0 ? 1 : 0);
}

Circumstances CallLearner::circumstances() const noexcept {
  return {is_contended(), unusual_caller_blas()};
}

void CallLearner::set_predictions(bool borrowed) {
  if (borrowed == borrowed_) return;
  borrowed_ = borrowed;
  learner_.start_again(prior_of(borrowed));
  changes_.fetch_add(1);
}

LearnedTimes CallLearner::learned(const CallKind& kind, bool borrowed) noexcept {
  const std::lock_guard guard(mutex_);
  set_predictions(borrowed);
  return learner_.learned(kind);
}

void CallLearner::note(const CallKind& kind, const Forecast& forecast,
                       const CallTimes& took) noexcept {
  std::unique_lock lock(mutex_);
  if (learner_.note(kind, forecast, took)) changes_.fetch_add(1, std::memory_order_release);
  if (kind.is_usual()) keep_if_due(lock);
}

void CallLearner::note_other(const Gains& gains) noexcept {
  std::unique_lock lock(mutex_);
  others_ = others_ + gains;
  keep_if_due(lock);
}

void CallLearner::note_left(const CallKind& kind, double seconds) noexcept {
  const std::lock_guard guard(mutex_);
  learner_.note_left(kind, seconds);
}

void CallLearner::keep_if_due(std::unique_lock<std::mutex>& lock) {
  const Clock::time_point now = Clock::now();
  if (!keep_ || now < next_keep_) return;
  pause_ *= 2;
  next_keep_ = now + pause_;
  const std::function<void()> keep = keep_;
  lock.unlock();
  keep();
}

void CallLearner::begin_with(const std::vector<unsigned char>& kept, bool borrowed,
                             std::function<void()> keep) {
  const std::lock_guard guard(mutex_);
  set_predictions(borrowed);
  if (!kept.empty()) learner_.restore(kept);
  changes_.fetch_add(1);
  keep_ = std::move(keep);
  pause_ = first_pause;
  next_keep_ = Clock::now() + pause_;
}

std::vector<unsigned char> CallLearner::kept() {
  const std::lock_guard guard(mutex_);
  return learner_.kept();
}

double CallLearner::spent() noexcept {
  const std::lock_guard lock(mutex_);
  return learner_.spent();
}

Gains CallLearner::gains() noexcept {
  const std::lock_guard guard(mutex_);
  return learner_.gains() + others_;
}

std::vector<ClassGain> CallLearner::gains_of_classes() noexcept try {
  const std::lock_guard guard(mutex_);
  return learner_.gains_of_classes();
} catch (const std::bad_alloc&) {
  return {};
}

void CallLearner::start_again() noexcept {
  const std::lock_guard guard(mutex_);
  learner_.start_again(prior_of(borrowed_));
  changes_.fetch_add(1);
  keep_ = nullptr;  // predictions are others than those it was to be kept with
}

}  // namespace duoblas
