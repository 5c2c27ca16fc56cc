// The learner of an engine, for all of its threads: planner/learner.hpp behind a lock, with clocks.
//
// A Scope lives as long as a call on one thread. When it ends, the call's times go to the learner
// if they are evidence: not if the call was inside another one, nor if other calls disturbed it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "planner/learner.hpp"

namespace duoblas {

/// Thread-safe; the lock is held for some arithmetic, never during a call. Not for forked children,
/// because a thread of the parent may have held the lock.
class CallLearner {
 public:
  CallLearner();

  /// A running call. A call inside another on the same thread is a part of it.
  struct CallInProgress {
    std::uint64_t begun = 0;  ///< number of calls, including this one
    bool is_outermost = false;
    bool contended = false;
  };
  /// From begin() to end() on one thread.
  class Scope {
   public:
    explicit Scope(CallLearner& learner) : learner_(learner), call_(learner.begin()) {}
    ~Scope() { end(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    /// Ends it. The learner gets its time only if the decision was right about whether another
    /// thread's call runs beside it.
    void note(const Forecast& forecast, CallTimes took) noexcept {
      took.is_part = !call_.is_outermost;
      if (end() == forecast.kind.contended) learner_.note(forecast.kind, forecast, took);
    }

   private:
    bool end() noexcept { return std::exchange(is_open_, false) && learner_.end(call_); }

    CallLearner& learner_;
    CallInProgress call_;
    bool is_open_ = true;
  };

  CallInProgress begin() noexcept;
  /// Returns whether another thread's call ran beside it.
  bool end(const CallInProgress& call) noexcept;

  /// The circumstances of a call that this thread begins now.
  Circumstances circumstances() const noexcept;
  /// Whether a call that begins now would have another thread's call beside it.
  bool is_contended() const noexcept;

  /// `borrowed`: the predictions come from another device's profile. If that changes, learning
  /// starts again.
  LearnedTimes learned(const CallKind& kind, bool borrowed) noexcept;
  void note(const CallKind& kind, const Forecast& forecast, const CallTimes& took) noexcept;
  /// As Learner::note_left().
  void note_left(const CallKind& kind, double seconds) noexcept;
  /// The library learned something else (about level 3 or LAPACK) that is stored in the same file.
  /// `gains`: of calls that no other note is about.
  void note_other(const Gains& gains = {}) noexcept;
  void start_again() noexcept;
  /// A number that changes whenever decisions may change, and that differs between learners.
  std::uint64_t changes() const noexcept { return changes_.load(std::memory_order_acquire); }

  /// Begins with what an earlier process kept. From now on threads that multiply call `keep` when
  /// there is something new to keep: at first soon, then less and less often.
  void begin_with(const std::vector<unsigned char>& kept, bool borrowed,
                  std::function<void()> keep);
  /// The bytes to keep now.
  std::vector<unsigned char> kept();
  /// The gains of all calls that were noted, in whatever way.
  Gains gains() noexcept;
  /// Learner::gains_of_classes(); empty, too, if memory is short.
  std::vector<ClassGain> gains_of_classes() noexcept;
  double spent() noexcept;  ///< as Learner::spent()

 private:
  using Clock = std::chrono::steady_clock;

  void set_predictions(bool borrowed);
  void keep_if_due(std::unique_lock<std::mutex>& lock);

  std::atomic<int> in_flight_{0};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> changes_;
  std::mutex mutex_;
  bool borrowed_ = false;
  Learner learner_;
  Gains others_;  ///< apart from the learner's, whose explorations they do not pay for
  std::function<void()> keep_;
  Clock::time_point next_keep_;
  Clock::duration pause_{};
};

}  // namespace duoblas
