// Whether samples are of this machine alone, or of what other programs left of it.
#pragma once

#include <functional>

#include "os/processor_use.hpp"

namespace duoblas {

/// Judges timed work by the processor time that others had meanwhile. A burst of other work is
/// waited for, and what it disturbed is measured again. Work that does not end is taken as the
/// machine's state: samples count, and beside() says what was left to others.
class Quiet {
 public:
  /// `patience`: the longest burst that is waited for, and `most_waiting` all of them together, in
  /// seconds. Tests play another machine: what its processors do, and how time passes there.
  Quiet(double patience, double most_waiting, std::function<ProcessorUse()> use = processor_use,
        std::function<void(double seconds)> sleep = {});

  /// Timed work begins, or goes on after something else.
  void begin();

  enum class Verdict { too_short, quiet, disturbed };
  /// Of the timed work since the last verdict that was not too_short: ticks tell nothing of less.
  Verdict judge();
  /// The same, but what is too short to tell waits for a moment, in which others' work goes on.
  Verdict judge_at_last();

  /// Waits while others work, but not longer than the patience. False: they still do, and from now
  /// on that is how this machine is, until a verdict is `quiet`.
  bool wait();
  /// What was repeated was disturbed again and again: that is how this machine is, likewise.
  void give_up() { steady_ = true; }
  bool is_steady() const { return steady_; }
  /// From now on so many seconds may be waited, all together.
  void may_wait(double seconds) { waiting_left_ = seconds; }
  double patience() const { return patience_; }
  /// Whether any verdict so far was `disturbed`.
  bool has_seen_others() const { return has_seen_others_; }

  /// Processors that others had at the last verdict or look, in the mean.
  double others() const { return others_; }
  /// The same where it is how this machine is; else 0.
  double beside() const { return steady_ ? others_ : 0; }
  int processors() const { return begun_.processors; }

 private:
  bool others_work(const ProcessorUse& during);

  double patience_, waiting_left_;
  std::function<ProcessorUse()> use_;
  std::function<void(double seconds)> sleep_;
  ProcessorUse begun_;
  ProcessorUse unjudged_;  ///< a difference: `at` is how long it took
  bool steady_ = false;
  bool has_seen_others_ = false;
  double others_ = 0;
};

}  // namespace duoblas
