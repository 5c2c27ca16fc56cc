// One sensor's readings over time; joules at moments between them are interpolated.
#pragma once

#include <string>
#include <vector>

#include "power/energy_sensor.hpp"

namespace duoblas::power {

/// Mean watts from `begin` to `end`.
struct WattsOverTime {
  double begin = 0;
  double end = 0;
  double watts = 0;
};

/// A counter does not move between two updates. The trace keeps the moments at which it was seen to
/// move, and interpolates energy linearly between them. With an update every 100 ms, the error of a
/// mark in between is then only the change of power within that time, not all of its energy.
class EnergyTrace {
 public:
  /// `window_seconds`: watts are means over at least this long.
  EnergyTrace(const SensorInfo& info, double window_seconds);

  void add(const EnergyReading& reading);
  /// Energy from the last reading to the next is unknown; `reason` says why.
  void interrupt(const std::string& reason);
  /// The reason of the last interruption; empty if there was none.
  const std::string& reason() const { return reason_; }
  bool knows_anything() const { return !knots_.empty(); }

  /// Whether there was no interruption since `seconds`.
  bool begins_before(double seconds) const;
  /// Whether the sensor has reported beyond `seconds`.
  bool reaches(double seconds) const;
  /// \pre begins_before and reaches.
  double joules_at(double seconds) const;
  /// The windows within the two moments, one after another.
  std::vector<WattsOverTime> watts(double begin, double end) const;

 private:
  void thin_out();

  double update_seconds_;
  bool counts_;
  double window_seconds_;
  std::vector<EnergyReading> knots_;
  bool last_is_still_ = false;  ///< the last knot is one at which a counter did not move
  std::string reason_;
};

}  // namespace duoblas::power
