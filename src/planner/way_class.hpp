// What calls of one class took by each way, and which way the next one goes. The rules are in
// docs/design/learner.md ("Whole calls that can go several ways").
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>

#include "planner/posterior.hpp"
#include "planner/recent_excess.hpp"
#include "planner/way.hpp"

namespace duoblas {

/// Seconds per unit of work. What was expected before any call was seen is the prediction that the
/// factor is about; where nothing was, the first call is, and the second one counts.
struct WayTime {
  ClassFactor factor;
  double unit = 0;      ///< the prediction; 0: none
  RecentExcess excess;  ///< of this process's calls

  bool is_seen() const { return factor.seen > 0; }
  /// What is expected. \pre is_seen() or an estimate was given.
  double per_unit() const { return unit * std::exp(factor.published) * excess.factor(); }
  /// \param estimate 0: nothing is expected.
  void expect(double estimate);
  /// `spread`: of the estimate's logarithm. \return Whether the time has changed.
  bool observe(double now, double spread);
};

/// Pure and deterministic; not thread-safe.
class WayClass {
 public:
  /// `way` may be taken to find out its time, though `best` is expected to be faster.
  struct Choice {
    Way way = Way::plain, best = Way::plain;
    /// It costs much of this process's time, so that its price is to be stored before it.
    bool is_dear = false;
    UnseenSeconds paid;
  };
  /// \param ways what the call can be, at least one. \param may_store a price can be stored.
  Choice choose(std::span<const WayEstimate> ways, double work, bool may_store = false);
  /// The price could not be stored: the call goes the best way.
  void take_back(const Choice& choice);

  /// Learns from what a call took. True: the best way, or that a time is known, is news.
  bool observe(Way way, double seconds, double work);
  /// A call went this way, whose time is known, and was not timed.
  void passed(Way way, double work);

  std::optional<double> seen_seconds(Way way, double work) const;

  WayTime& of(Way way) { return times_[static_cast<std::size_t>(way)]; }
  const WayTime& of(Way way) const { return times_[static_cast<std::size_t>(way)]; }

  /// Parts of its estimate that a way is likely to take at least. The program's library: the
  /// estimate rests on the rate of products on a quiet machine. Others: their estimates were off by
  /// up to 1.5.
  static constexpr double least_of_plain = 0.5, least_of_others = 2.0 / 3;
  /// Of an estimate that is to be better than whatever the plain way may take.
  static constexpr double doubt_beside_plain = 1 / least_of_plain;
  /// Seconds that a first try of the plain way may cost. A tenth of the learner's 20 ms, since a
  /// program may have ten kinds of calls.
  static constexpr double free_try = 2e-3;

 private:
  double priced(Way way, double work) const;
  double expected(Way way, double work) const { return of(way).per_unit() * work; }
  bool is_try_due(Way other, Way best, double work, bool may_store, Choice& choice) const;
  void fade_others(Way way, double seconds);
  std::optional<Way> best_seen() const;

  std::array<WayTime, way_count> times_{};
};

}  // namespace duoblas
