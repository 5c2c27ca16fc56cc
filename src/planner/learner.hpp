// What a process's own calls show of both sides' speeds, and of how wrong a profile is.
//
//   prediction (cost model) ── x learned factor ──> who computes the next call, and its split
//        ^                                             │
//        └────────────── note(): what it took <────────┘
//
// A profile was made on a quiet machine, perhaps on another one. Factors are learned per kind of
// work (Timed), in three layers (posterior.hpp). A budget limits what explorations may cost. The
// learner owns its tables, which have a fixed size. It reads no clock and has no lock: CallLearner
// has both.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/rates.hpp"
#include "planner/forecast.hpp"
#include "planner/key_table.hpp"
#include "planner/point_timings.hpp"
#include "planner/posterior.hpp"
#include "planner/recent_excess.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// What is known about one call, per Timed.
struct LearnedTimes {
  std::array<Posterior, timed_models> posteriors;
  /// The longest credible time, as a multiple of the expected one.
  std::array<double, timed_models> worst{};
  /// Whether calls of this class have shown it.
  std::array<bool, timed_models> seen{};
  /// The class's calls since one of them has shown it.
  std::array<UnseenSeconds, timed_models> unseen{};
  /// How many times longer than these times calls take on the mean: of the CPU alone, of the GPU
  /// alone, and at Timed::gpu_side of both sides.
  std::array<double, timed_models> excess{1, 1, 1, 1};
  /// Seconds that a call may take longer than the best known strategy.
  double allowance = 0;

  const Posterior& of(Timed what) const { return posteriors[place_of(what)]; }
  /// For a part of C.
  Posterior of(Timed what, double log_part) const {
    return posteriors[place_of(what)].at(log_part);
  }
  double worst_of(Timed what) const { return worst[place_of(what)]; }
  bool has_seen(Timed what) const { return seen[place_of(what)]; }
  double excess_of(Timed what) const { return excess[place_of(what)]; }
  const UnseenSeconds& unseen_of(Timed what) const { return unseen[place_of(what)]; }
};

/// Only measured times, for an engine that does not learn: nothing is tried.
inline LearnedTimes as_measured() {
  LearnedTimes times;
  times.worst.fill(1);
  return times;
}

/// Calls of a family have the same element type, ops and use of C (read or not), k within a factor
/// of two, and the longer and the shorter of m and n within a factor of four. Calls of a class have
/// all three within a factor of 1.4. Other circumstances make another family and class.
CallKind kind_of(const GemmProblem& problem, const Circumstances& now);

/// For a memory-bound call; `routine` holds its name and letters as one number.
CallKind kind_of_stream(std::uint64_t routine, std::int64_t outputs, std::int64_t terms,
                        const Circumstances& now);

/// How far predictions may be off, and how many times longer than expected a first call may take.
struct LearnerPrior {
  PriorSpread spread;
  double worst = 10;
};

/// For a profile of another device.
constexpr LearnerPrior prior_of_borrowed_profile() {
  return {{1.2, 0.4, 0.15}, 30};
}

/// The seconds to expect of a product on the GPU that took `seen` beside the program's BLAS. The
/// device's borrowed profile promises `promised`. The product takes at most `seen`, and at most as
/// long as a learner with such a profile's spread believes.
constexpr double warm_up_seconds(double seen, double promised) {
  return std::min(seen, std::max(promised, seen / rates::slowed_by_programs_blas));
}

/// Seconds.
struct Gains {
  double worked = 0, with_gpu = 0, won = 0;

  friend Gains operator+(const Gains& x, const Gains& y) {
    return {x.worked + y.worked, x.with_gpu + y.with_gpu, x.won + y.won};
  }
};

/// Of the calls of one class that a device was open for: what they would have taken without it, and
/// what of that it saved.
struct ClassGain {
  std::uint32_t number = 0;  ///< as accounts number classes
  double seconds = 0, gain = 0;

  friend bool operator==(const ClassGain&, const ClassGain&) = default;
};

/// The part of the budget that may be spent at once on a strategy that is not expected to be the
/// best; the rest is for strategies that are. Once explorations of eleven products of 0.2 to 1.2 ms
/// used up all of 20 ms. Later products stayed on the CPU at 4.0 ms, although the GPU was expected
/// to take 1.4 ms, and did (bench_gemm shapes --shapes 80 --calls 6).
inline constexpr double for_explorations = 0.25;

/// Deterministic: clocks are the caller's. Not thread-safe. Memory is fixed.
class Learner {
 public:
  /// What any program may lose by what it did not ask for.
  static constexpr double free_seconds = 20e-3;

  explicit Learner(const LearnerPrior& prior = {}) : prior_(prior) {}

  LearnedTimes learned(const CallKind& kind) const;

  /// Learns from a call that was carried out as forecast. True: what is known of its class changed,
  /// so decisions may change.
  bool note(const CallKind& kind, const Forecast& forecast, const CallTimes& took);

  /// A call of `seconds` was left to the CPU as a whole because of what is known of this kind,
  /// which is of a part of it. So it showed nothing, and what is known becomes less certain. Its
  /// seconds count for the budget.
  void note_left(const CallKind& kind, double seconds);

  /// Charges time that a program waited for without having asked for it.
  void charge(double seconds) { spent_ += seconds; }
  /// 20 ms plus a hundredth of the seconds of all calls, less the seconds that were charged.
  double allowance() const;

  /// The seconds of all calls, those of calls with the GPU, and how much less these took than the
  /// CPU alone would have taken, by all that is known of it now.
  Gains gains() const { return gains_; }
  /// The same of usual products by class, as far as classes are remembered. \throws std::bad_alloc.
  std::vector<ClassGain> gains_of_classes() const;
  /// The seconds that were charged.
  double spent() const { return spent_; }

  /// What usual calls showed, for later processes; restore() takes it.
  std::vector<unsigned char> kept() const;
  /// Begins with what an earlier process kept. False: the bytes
  /// are damaged or of another kind, and nothing changed. \pre nothing was learned.
  bool restore(const std::vector<unsigned char>& kept);

  /// Forgets everything: predictions change from now on. The budget stays as it is.
  void start_again(const LearnerPrior& prior);

 private:
  bool is_known_elsewhere(const CallKind& kind, std::size_t side) const;
  SharedFactor shared_by_all(const CallKind& kind, std::size_t side) const;
  bool observe(const CallKind& kind, Timed what, const Forecast& forecast, const CallTimes& took);
  void observe_excess(const CallKind& kind, const Forecast& forecast, const CallTimes& took,
                      const LearnedTimes& expected);
  void note_gain(const CallKind& kind, const Forecast& forecast, const CallTimes& took,
                 const LearnedTimes& now);
  void charge_exploration(const CallKind& kind, const Forecast& forecast, const CallTimes& took,
                          const LearnedTimes& before, const LearnedTimes& now);

  LearnerPrior prior_;
  Gains gains_;
  double spent_ = 0, left_ = 0;
  std::array<std::array<SharedFactor, timed_models>, kind_groups> all_{};  ///< per group
  KeyTable<SharedFactor, 64> families_;
  struct ThisProcess {
    /// Of the calls with the GPU: what the CPU alone was predicted to take, what it would have
    /// taken, as gains_ has it, and what they took. And what the others took.
    double predicted = 0, on_cpu = 0, with_gpu = 0, without = 0;
    /// Of the CPU alone, the GPU alone and both sides; their places are those of LearnedTimes.
    std::array<RecentExcess, place_of(Timed::cpu_side)> excess{};
  };
  KeyTable<ClassFactor, 256, ThisProcess> classes_;
  std::uint64_t uses_ = 0;
};

}  // namespace duoblas
