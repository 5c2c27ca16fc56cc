// A clock that stands still until it is told to go on, and sensors that say what a test makes up.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "power/sources.hpp"

namespace duoblas::power {

class SimulatedClock {
 public:
  void pass(double seconds) { *now_ += seconds; }
  double now() const { return *now_; }
  PowerClock function() const {
    return [now = now_] { return *now; };
  }

 private:
  std::shared_ptr<double> now_ = std::make_shared<double>(1000);
};

/// Joules as a function of seconds.
using Joules = std::function<double(double)>;

/// A counter that moves every `update` seconds only.
inline Joules in_steps(double update, Joules joules) {
  return [=](double seconds) { return joules(std::floor(seconds / update + 1e-9) * update); };
}

inline SensorInfo made_up(Domain domain, double update_seconds, bool in_package = false) {
  SensorInfo info;
  info.domain = domain;
  info.source = "made up";
  info.update_seconds = update_seconds;
  info.in_package = in_package;
  info.may_rest = in_package && domain == Domain::gpu;
  return info;
}

inline DomainSensor simulated(const SensorInfo& info, PowerClock clock, Joules joules) {
  const Gauge gauge{[clock, joules = std::move(joules)] { return joules(clock()); }};
  return {info.domain, EnergySensor(info, clock, {gauge}), ""};
}

}  // namespace duoblas::power
