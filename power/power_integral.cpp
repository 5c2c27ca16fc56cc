#include "power/power_integral.hpp"

#include <cmath>

#include "power/power_sensor.hpp"

namespace duoblas::power {
namespace {

// A sampler reads ten times a second and more; a machine that was busy may have held it up.
constexpr double longest_gap_seconds = 2;

}  // namespace

double PowerIntegral::joules(double seconds, double watts) {
  if (!(watts >= 0) || !std::isfinite(watts)) throw SensorError("what was read is no power");
  if (last_) {
    const double gap = seconds - last_->seconds;
    if (gap > longest_gap_seconds)
      throw SensorError("read too rarely: what was drawn in between is not known");
    total_ += (watts + last_->watts) / 2 * gap;
  }
  last_ = {seconds, watts};
  return total_;
}

}  // namespace duoblas::power
