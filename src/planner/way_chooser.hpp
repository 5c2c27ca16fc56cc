// Who does a call that can be done in several ways, by what such calls took. The engine owns one
// chooser, and stores its bytes for later processes (engine/learned_file.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "planner/way_class.hpp"

namespace duoblas {

/// WayClass for all classes of calls. Thread-safe, and deterministic given its calls.
class WayChooser {
 public:
  /// The way of a call, of those that are given. \throws std::bad_alloc.
  Way choose(const CallClass& call, std::span<const WayEstimate> ways);
  Way choose(const CallClass& call, std::initializer_list<WayEstimate> ways) {
    return choose(call, std::span(ways.begin(), ways.size()));
  }
  /// Learns from the seconds that a call took; nothing where memory is short, because the call's
  /// results are there.
  void observe(const CallClass& call, Way way, double seconds) noexcept;
  /// The seconds that such calls took; nothing: too few were seen.
  std::optional<double> seen_seconds(const CallClass& call, Way way);
  /// Of the plain way; before its time is known, the least that its estimate allows.
  double least_plain_seconds(const CallClass& call, double estimate);

  /// The two sides of a job, of which the device had `share` of the lines. 1: the CPU's side had
  /// none, so it is not known any better.
  void observe_sides(const CallClass& call, double share, double device_seconds,
                     double cpu_seconds) noexcept;
  /// The device's share with which both sides end at once; nothing before both were timed. The
  /// CPU's side has `least_of_cpu` of the lines at least; where its due is less than half of that
  /// it has none, but for a look at it now and then.
  std::optional<double> balanced_share(const CallClass& call, double least_of_cpu);

  /// What usual calls showed, as bytes, for later processes of the same build on the same machine.
  std::vector<unsigned char> kept();
  /// Begins with such bytes; times that this process has shown stay. False, and nothing changes:
  /// they are damaged or of another kind.
  bool restore(const std::vector<unsigned char>& kept);
  /// From now on calls `changed` when something worth keeping was seen; and `store` before a look
  /// of which this process may not tell later ones: true if it has stored kept(), which it may
  /// call.
  void tell(std::function<void()> changed, std::function<bool()> store);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, WayClass> classes_;
  std::map<std::uint64_t, WayClass> sides_;
  /// Of this process's calls: all, those when it was last told, and when storing last failed.
  double seconds_here_ = 0, told_at_ = 0, not_stored_at_ = 0;
  std::function<void()> changed_;
  std::function<bool()> store_;
};

}  // namespace duoblas
