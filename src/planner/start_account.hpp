// Whether starting the device pays for a program: the account of one outlay. Pure: the clock is the
// caller's, and what earlier runs had is given.
//
// A start costs a program something whether it has calls for the device or not, and calls have the
// device only once it is ready. So it is made when the gain that is still likely to come exceeds
// what is lost. A known program will have what its earlier run had, less what was seen. Of an
// unknown one, as much again as so far is likely: a skier buys skis when the rent paid reaches
// their price (A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator: Competitive snoopy caching,
// Algorithmica 3, 1988).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "facts/rates.hpp"
#include "planner/learner.hpp"

namespace duoblas {

/// Seconds that a start of the device takes.
struct StartCost {
  double until_ready = rates::seconds_until_ready;
  double lost() const { return rates::lost_part_of_start * until_ready; }
};

/// What a run of a program had for the device. Seconds are those of the program's own BLAS, in
/// which at least one call ran that the device may help.
struct ProgramWork {
  double seconds = 0;
  /// What the device saves of them if it is started at the first call.
  double gain = 0;
  /// The part of a call's time that the device saves, once it is ready.
  double rate = 0;
  /// Its first classes of calls, as their owner numbers them.
  std::vector<std::uint32_t> classes = {};

  static constexpr std::size_t most_classes = 16;
  /// This was one of an earlier run's classes, or nobody knows all of them.
  bool may_have(std::uint32_t one) const {
    return classes.empty() || classes.size() >= most_classes ||
           std::ranges::find(classes, one) != classes.end();
  }

  friend bool operator==(const ProgramWork&, const ProgramWork&) = default;
};

class StartAccount {
 public:
  StartAccount(const StartCost& cost, const std::optional<ProgramWork>& earlier)
      : cost_(cost), earlier_(earlier) {}

  /// A part of a call's time that no earlier call covered.
  struct Covered {
    double seconds = 0;
    double late = 0;  ///< the same if a device that was started at the first call would be ready
  };
  /// A call of that class ends that began at `begin`. Threads that call at once count once.
  /// \throws std::bad_alloc, and nothing changes.
  Covered cover(double begin, double end, std::uint32_t of_class);
  /// What the device would have saved of that: the part `gain`.
  void promise(const Covered& call, double gain);

  /// Whether the device is to be started at `now`, when a call of class `next` begins. `unasked`:
  /// seconds of calls of which no gain is known yet; all of it counts.
  bool pays(double now, std::uint32_t next, double unasked = 0) const {
    return expected(now, next, unasked) > cost_.lost();
  }
  /// Whether that is hoped rather than known: there was no earlier run, it had no more calls than
  /// this one, or calls of other classes. Then this run's input is another one.
  bool is_hope(std::uint32_t next) const {
    return !earlier_ || is_other_run(next) || seconds_ >= earlier_->seconds;
  }
  double seconds() const { return seconds_; }
  const StartCost& cost() const { return cost_; }

  /// What later runs are told. `gains`: of the calls since the device was open.
  ProgramWork work(const Gains& gains) const;

 private:
  struct Class {
    std::uint32_t number = 0;
    double seconds = 0;
  };
  double expected(double now, std::uint32_t next, double unasked) const;
  /// Most of the calls so far are of classes that the earlier run did not have.
  bool is_mostly_foreign() const { return foreign_ > seconds_ - foreign_; }
  bool is_other_run(std::uint32_t next) const;
  std::vector<std::uint32_t> main_classes(bool is_other) const;

  const StartCost cost_;
  const std::optional<ProgramWork> earlier_;
  std::vector<Class> classes_;  ///< of this run
  double foreign_ = 0;          ///< seconds of classes that the earlier run did not have
  double first_ = -1;           ///< when the first call began; below 0: there was none
  double covered_ = 0;          ///< until then
  double seconds_ = 0, late_ = 0;
  double promised_ = 0, late_promised_ = 0;
};

/// What all programs of a user had and lost, which bounds the starts of unknown ones.
struct StartLedger {
  double worked = 0;  ///< seconds of calls
  double lost = 0;    ///< by starts that did not return what they took

  /// Whether one more start may be in vain: a small part of all work may be lost so, and some
  /// starts more, which a new machine or user has for nothing.
  bool allows(const StartCost& cost) const {
    constexpr double part = 0.02;
    constexpr int free_starts = 5;
    return lost + cost.lost() <= part * worked + free_starts * cost.lost();
  }
  /// A program ends. `won`: by a start that cost `cost`; nothing: it made none.
  void add(double seconds, const StartCost& cost, const std::optional<double>& won) {
    constexpr double remembered_programs = 1000;
    constexpr double fading = 1 - 1 / remembered_programs;
    worked = fading * worked + seconds;
    lost = fading * lost;
    if (won) lost = std::max(0.0, lost + cost.lost() - *won);
  }
};

}  // namespace duoblas
