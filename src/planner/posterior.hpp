// How far times are from their predictions, as calls have shown. There are three layers (all calls,
// a family of calls, calls that are alike), as logarithms. Arithmetic on values; the learner owns
// them.
#pragma once

#include <cstdint>

#include "planner/unseen_seconds.hpp"

namespace duoblas {

/// ln(time / prediction) as a normal distribution, for one part of C that a side does. For another
/// part predictions may be off by another factor, which is a power of the ratio of the parts.
struct Posterior {
  double mean = 0;
  double spread = 0;    ///< standard deviation
  double log_part = 0;  ///< of this part of C's rows or columns: its logarithm, 0 for all of them
  double slope = 0;     ///< by ln(part)
  double slope_variance = 0, covariance = 0;

  /// For another part.
  Posterior at(double other) const;
};

/// What one call showed: ln(time / prediction).
struct LogRatio {
  double value = 0;
  double log_part = 0;   ///< the part of C
  double steepness = 0;  ///< standard deviation of the slope, before anything was seen
  bool at_most = false;  ///< the true value may be less: nobody saw when the work ended
  /// Standard deviation of a first call that is slower than expected: it finds cold caches, and
  /// memory that nobody has touched yet.
  double first_noise = 0;
  /// The process's first call of this kind, which waits for memory, kernels and threads. To
  /// programs of one call that is a part of it: so the third in a row counts.
  bool starts = false;
  int slow_calls = 3;  ///< in a row, that are believed
};

/// How far predictions may be off before anything was seen, as standard deviations of logarithms:
/// of all calls together, of a family relative to all calls, of a class relative to its family.
struct PriorSpread {
  double all = 0.15, family = 0.15, call = 0.1;
};

/// What all calls, or the calls of a family, have in common: a factor that drifts.
struct SharedFactor {
  double mean = 0;
  double variance = 0;
  std::uint64_t classes =
      0;  ///< that contributed to it; as wide as the others, so that there is no padding
};

/// How a class of calls differs from its family. The members are in an order without padding, whose
/// bytes could differ between files of the same knowledge.
struct ClassFactor {
  double mean = 0;
  double variance = 0;   ///< of the sum of all three layers, once the class was seen
  double published = 0;  ///< the sum of all three layers' means, without small changes
  UnseenSeconds unseen;  ///< of the class's calls since one of them showed this time
  /// The part of C in the class's last call, to which the mean applies, and how the time differs
  /// from its prediction at other parts.
  float log_part = 0, slope = 0, slope_variance = 0, covariance = 0;
  float published_slope = 0;
  float noise = 0.05f;      ///< standard deviation of one call from the others
  float before_change = 0;  ///< the mean of all layers before the last change that was believed
  unsigned changed_at = 0;  ///< calls that were seen then; 0: there was none
  unsigned seen = 0;        ///< calls
  signed char run = 0;      ///< outliers in a row: above 0 slower ones, below 0 faster ones
  signed char bounds = 0;   ///< calls in a row that showed only an upper bound
  bool warmed = false;      ///< a first call was not believed
  /// The call that is believed was slower than expected too: something may stay cold for long.
  bool may_be_cold = false;
};

/// The three layers of one class.
struct Layers {
  SharedFactor& all;
  SharedFactor& family;
  ClassFactor& own;
};

/// The value that decisions rest on. It should stay the same from call to call while little
/// changes, so the mean of a class that was seen changes in steps.
Posterior posterior(const SharedFactor& all, const SharedFactor& family, const ClassFactor& own,
                    const PriorSpread& prior);

/// Learns from one call, by a Kalman filter for the class (R. E. Kalman, 1960) with its family as
/// the prior. The first call of a class also moves its family and the factor of all calls; later
/// calls move them little.
///
/// A call counts at most three standard deviations (P. Huber, 1964), so a disturbed call moves
/// little. Two kinds of outlier count as a change and are believed: a faster call, since no
/// disturbance makes a call faster; and a slower call if it is the third in a row. But a change
/// that soon takes the time back to where it was is none: the class has two kinds of calls, and its
/// noise contains both from then on. A first call that is surprisingly slow may have warmed
/// something up, and shows nothing. An upper bound shows nothing if less was expected anyway. After
/// several upper bounds the time is taken to be a little less, so that a call finds out. \return
/// Whether the class's time has changed in this manner.
bool take_in(const LogRatio& told, const Layers& layers, const PriorSpread& prior);
/// The same for a class without a family; `own.mean` is what is expected of it.
bool take_in(const LogRatio& told, ClassFactor& own, const PriorSpread& prior);

/// After a change of one kind of work, for the other kind of the same side. If the two disagree
/// altogether, the other was outdated too; it then gets this one's mean, with the spread of a new
/// class.
void follow_change(ClassFactor& other, const ClassFactor& changed, const PriorSpread& prior);

/// A call of `seconds` used another strategy, so the posterior becomes a little less certain.
void fade(ClassFactor& own, const PriorSpread& prior, double seconds);

}  // namespace duoblas
