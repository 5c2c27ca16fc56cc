// Turns readings of watts into joules by the trapezoidal rule.
#pragma once

#include <optional>

namespace duoblas::power {

class PowerIntegral {
 public:
  /// The joules since the first call. \throws SensorError if `watts` is not a power, or if the last
  /// call is so long ago that the energy since is unknown.
  double joules(double seconds, double watts);

 private:
  struct Seen {
    double seconds = 0;
    double watts = 0;
  };
  std::optional<Seen> last_;
  double total_ = 0;
};

}  // namespace duoblas::power
