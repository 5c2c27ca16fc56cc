// What one sensor said over time, so that joules at any moment in between can be told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "power/power_sensor.hpp"

namespace duoblas::power {

/// Mean watts from `begin` to `end`.
struct WattsOverTime {
  double begin = 0;
  double end = 0;
  double watts = 0;
};

/// A counter stands still between two updates. Kept is when it was seen to move, and between such
/// moments energy is a straight line: with an update every 100 ms a mark in the middle of one is
/// then wrong by what the power changed within it, not by the whole of it.
class EnergyTrace {
 public:
  /// `window_seconds`: watts are means over at least this long.
  EnergyTrace(const SensorInfo& info, double window_seconds);

  void add(const EnergyReading& reading);
  /// Nothing is known from the last reading to the next; `reason` says why.
  void interrupt(const std::string& reason);
  /// Why the last interruption came; empty where there was none.
  const std::string& reason() const { return reason_; }
  bool knows_anything() const { return !knots_.empty(); }

  /// Whether there was no interruption since `seconds`.
  bool begins_before(double seconds) const;
  /// Whether the sensor has said what had been consumed at `seconds`.
  bool reaches(double seconds) const;
  /// \pre begins_before and reaches.
  double joules_at(double seconds) const;
  /// Windows that lie within the two moments, one after another.
  std::vector<WattsOverTime> watts(double begin, double end) const;
  /// Mean of the last window; nothing where there is none yet.
  std::optional<double> watts_now() const;

 private:
  void thin_out();

  double update_seconds_;
  bool counts_;
  double window_seconds_;
  std::vector<EnergyReading> knots_;
  bool last_is_still_ = false;  ///< the last knot is a counter that did not move
  std::string reason_;
};

}  // namespace duoblas::power
