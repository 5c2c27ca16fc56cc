// What calls of one class took by each way, and which way the next one goes. The rules are in
// docs/design/learner.md ("Whole calls that can go several ways").
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "planner/way.hpp"
#include "planner/way_times.hpp"

namespace duoblas {

/// Pure and deterministic; not thread-safe.
class WayClass {
 public:
  /// A way that is taken to find out its time, though another one is expected to be faster.
  struct Choice {
    Way way = Way::plain, best = Way::plain;
    /// A look that costs much of this process's time, so its price is to be stored before it.
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

  WayTimes& of(Way way) { return ways_[static_cast<std::size_t>(way)]; }
  const WayTimes& of(Way way) const { return ways_[static_cast<std::size_t>(way)]; }

  /// Parts of its estimate that a way may take at least. The program's library: the estimate rests
  /// on the rate of products on a quiet machine. Others: their estimates were off by up to 1.5.
  static constexpr double least_of_plain = 0.5, least_of_others = 2.0 / 3;

 private:
  double expected(const WayEstimate& estimate, double work) const;
  WayEstimate best_of(std::span<const WayEstimate> ways, double work) const;
  bool is_try_due(const WayEstimate& other, double best);
  bool is_look_due(const WayEstimate& other, double best, double work, bool may_store,
                   Choice& choice);
  std::optional<Way> best_known() const;
  double least_of_others_known(Way way) const;

  std::array<WayTimes, way_count> ways_{};
};

/// Learns one time. `others`: the least known time of another way; 0: none is known. False: it is
/// not counted.
bool learn(WayTimes& done, double others, double per_unit);

}  // namespace duoblas
