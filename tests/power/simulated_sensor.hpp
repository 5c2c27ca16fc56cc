// A sensor that says what a test makes up.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "power/power_sources.hpp"

namespace duoblas::power {

/// Joules as a function of seconds.
class SimulatedSensor : public PowerSensor {
 public:
  using Joules = std::function<double(double)>;
  SimulatedSensor(SensorInfo info, PowerClock clock, Joules joules)
      : PowerSensor(std::move(info)), clock_(std::move(clock)), joules_(std::move(joules)) {}

  EnergyReading read() override { return {clock_(), joules_(clock_())}; }

 private:
  PowerClock clock_;
  Joules joules_;
};

/// A counter that moves every `update` seconds only.
inline SimulatedSensor::Joules in_steps(double update, SimulatedSensor::Joules joules) {
  return [=](double seconds) { return joules(std::floor(seconds / update + 1e-9) * update); };
}

inline SensorInfo made_up(Domain domain, double update_seconds) {
  SensorInfo info;
  info.domain = domain;
  info.source = "made up";
  info.update_seconds = update_seconds;
  return info;
}

inline DomainSensor simulated(SensorInfo info, PowerClock clock, SimulatedSensor::Joules joules) {
  const Domain domain = info.domain;
  return {domain, std::make_unique<SimulatedSensor>(std::move(info), clock, std::move(joules)), ""};
}

}  // namespace duoblas::power
