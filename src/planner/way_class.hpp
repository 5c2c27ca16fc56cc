// What calls of one class took by each way, and which way the next one goes. The rules are in
// docs/design/learner.md ("Whole calls that can go several ways").
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "planner/posterior.hpp"
#include "planner/way.hpp"

namespace duoblas {

struct Prospect;

/// Of the calls of a try.
enum class TryCall { none, first, goes_on, second };

/// What calls of one class took by one way.
struct WayTime {
  ClassFactor known;   ///< of ln(seconds per unit of work)
  double lost = 0;     ///< seconds per unit of work, by the last try
  unsigned tried = 0;  ///< since it was last done
  TryCall trial = TryCall::none;
  bool has_begun = false;  ///< in this process
};

/// Pure and deterministic; not thread-safe.
class WayClass {
 public:
  struct Choice {
    Way way = Way::plain, best = Way::plain;
    /// A try that costs much of this process's time, so its price is to be stored before it.
    bool is_dear = false;
  };
  /// \param ways what the call can be, at least one. \param may_store a price can be stored.
  Choice choose(std::span<const WayEstimate> ways, double work, bool may_store = false);
  /// Whether calls that went other ways pay for a look at this one, which then is due.
  bool pay_for_look(Way way, double costs);

  /// Learns from what a call took. True: the best way, or that a time is known, is news.
  bool observe(Way way, double seconds, double work);
  /// A call went this way, whose time is known, and was not timed.
  void passed(Way way, double work);

  std::optional<double> seen_seconds(Way way, double work) const;

  WayTime& of(Way way) { return ways_[static_cast<std::size_t>(way)]; }
  const WayTime& of(Way way) const { return ways_[static_cast<std::size_t>(way)]; }

 private:
  Prospect prospect_of(const WayEstimate& way, double work, bool is_any_seen) const;
  /// The fastest way that was seen, but for one.
  std::optional<Way> best_seen(const WayTime* but = nullptr) const;

  std::array<WayTime, way_count> ways_{};
};

}  // namespace duoblas
