// How far times are from their predictions, as calls have shown: in three layers (all calls, a
// family of calls, calls that are alike), as logarithms. Arithmetic on values; the learner owns
// them.
#pragma once

#include <limits>

namespace duoblas {

/// ln(time / prediction) as a normal distribution, for one part of C that a side does. For another
/// part predictions may be off by another factor: a power of the ratio of the parts.
struct Posterior {
  double mean = 0;
  double spread = 0;    ///< standard deviation
  double log_part = 0;  ///< of this part of C's rows or columns: its logarithm, 0 for all of them
  double slope = 0;     ///< by ln(part)
  double slope_variance = 0, covariance = 0;

  /// Of another part.
  Posterior at(double other) const;
};

/// What one call told: ln(time / prediction).
struct LogRatio {
  double value = 0;
  double log_part = 0;   ///< of which part of C
  double steepness = 0;  ///< standard deviation of the slope, before anything was seen
  bool at_most = false;  ///< the true value may be less: nobody saw when the work ended
  /// Where a first call is off by more than this it may have built, allocated, loaded or woken what
  /// later ones find.
  double warming = std::numeric_limits<double>::infinity();
  /// Standard deviation by which a first call that is slower than expected may be off: it finds
  /// cold caches, and memory that nobody has touched yet.
  double first_noise = 0;
  /// A first call woke threads that slept: it tells nothing, the second one does.
  bool woke_threads = false;
  /// To try again costs nothing: a first call that was slower than expected is not believed.
  bool can_be_repeated = false;
};

/// How far predictions may be off before anything was seen, as standard deviations of logarithms:
/// all of them together, a family of calls beside the others, a class beside its family.
struct PriorSpread {
  double all = 0.15, family = 0.15, call = 0.1;
};

/// What all calls, or the calls of a family, have in common: a factor that drifts.
struct SharedFactor {
  double mean = 0;
  double variance = 0;
  unsigned classes = 0;  ///< that told of it
};

/// What a class of calls has beside that.
struct ClassFactor {
  double mean = 0;
  double variance = 0;   ///< of the sum of all three layers, once the class was seen
  double published = 0;  ///< the sum of all three layers' means, but for small changes
  /// The part of C that all this is about, which the class's last call had, and how the time
  /// differs from its prediction at other parts.
  float log_part = 0, slope = 0, slope_variance = 0, covariance = 0;
  float published_slope = 0;
  /// Seconds of the class's calls since one told of this, and how many had passed before the last
  /// one did that found nothing new.
  float unseen_seconds = 0, seconds_between_explorations = 0;
  float noise = 0.05f;     ///< how far one call usually is from the others, as a standard deviation
  unsigned seen = 0;       ///< calls
  signed char run = 0;     ///< far calls in a row: above 0 slower ones, below 0 faster ones
  signed char bounds = 0;  ///< calls in a row that told an upper bound only
  bool warmed = false;     ///< a first call was not believed
  /// Nor was the one that is believed what it was expected to be: what is cold may be so for long.
  bool may_be_cold = false;
};

/// The three layers of one class.
struct Layers {
  SharedFactor& all;
  SharedFactor& family;
  ClassFactor& own;
};

/// What decisions rest on. They should stay the same from call to call while little changes, so the
/// mean of a class that was seen follows in steps.
Posterior posterior(const SharedFactor& all, const SharedFactor& family, const ClassFactor& own,
                    const PriorSpread& prior);

/// Takes in what a call told: a Kalman filter for the class (R. E. Kalman, 1960), with its family
/// as the prior. A new class also moves its family and the factor of all calls; later calls of it
/// move them little. A call counts three standard deviations at most (P. Huber, 1964), so a
/// disturbed call moves little. Two kinds of far call count as a change and are believed: a faster
/// one, since no disturbance makes a call faster, and a slower one if it is the third in a row. A
/// first call that may have warmed something up, and is surprisingly slow, tells nothing. An upper
/// bound tells nothing if less was expected anyway. After several upper bounds the time is taken to
/// be a little less, so that a call finds out. \return Whether the class's time has changed so.
bool take_in(const LogRatio& told, const Layers& layers, const PriorSpread& prior);

/// After a change of one kind of work, for the same side's other kind: if the two disagree
/// altogether, the other was outdated too. It then takes this one's mean, with the spread of a new
/// class.
void follow_change(ClassFactor& other, const ClassFactor& changed, const PriorSpread& prior);

/// A call of `seconds` went another way: the posterior becomes a little less certain.
void fade(ClassFactor& own, const PriorSpread& prior, double seconds);

/// Seconds that trying a way again that was seen long ago may cost now: less than a hundredth of
/// what the class's calls took since. The next exploration comes only after twice as long. So a
/// posterior that came from a disturbance, such as a neighbour's work on the same machine, does not
/// stand for good.
double exploration_seconds(const ClassFactor& own);

}  // namespace duoblas
