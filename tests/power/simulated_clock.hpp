// A clock that stands still until it is told to go on.
#pragma once

#include <memory>

#include "power/power_sensor.hpp"

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

}  // namespace duoblas::power
