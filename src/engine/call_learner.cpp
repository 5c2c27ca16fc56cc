#include "engine/call_learner.hpp"

namespace duoblas {
namespace {

constinit thread_local int depth = 0;

LearnerPrior prior_of(bool borrowed) {
  return borrowed ? prior_of_borrowed_profile() : LearnerPrior{};
}

}  // namespace

CallLearner::UnderWay CallLearner::begin() noexcept {
  UnderWay call;
  call.is_outermost = depth++ == 0;
  if (call.is_outermost) {
    under_way_.fetch_add(1);
    begun_.fetch_add(1);
  }
  call.contended = under_way_.load() > 1;
  call.begun = begun_.load();
  return call;
}

bool CallLearner::end(const UnderWay& call) noexcept {
  const bool contended = call.contended || begun_.load() != call.begun;
  --depth;
  if (call.is_outermost) under_way_.fetch_sub(1);
  return contended;
}

bool CallLearner::is_contended() const noexcept {
  return under_way_.load(std::memory_order_relaxed) > (depth > 0 ? 1 : 0);
}

LearnedTimes CallLearner::learned(const CallKind& kind, bool borrowed) noexcept {
  const std::lock_guard guard(mutex_);
  if (borrowed != borrowed_) {
    borrowed_ = borrowed;
    learner_.start_again(prior_of(borrowed));
  }
  return learner_.learned(kind);
}

void CallLearner::note(const CallKind& kind, const Forecast& forecast,
                       const CallTimes& took) noexcept {
  const std::lock_guard guard(mutex_);
  learner_.note(kind, forecast, took);
}

void CallLearner::start_again() noexcept {
  const std::lock_guard guard(mutex_);
  learner_.start_again(prior_of(borrowed_));
}

}  // namespace duoblas
