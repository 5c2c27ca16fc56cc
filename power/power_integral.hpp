// Watts that are read now and then, as joules: the trapezoids under them.
#pragma once

#include <optional>

namespace duoblas::power {

class PowerIntegral {
 public:
  /// The joules since the first call. \throws SensorError where `watts` is no power, or where the
  /// last call was so long ago that nobody knows what was drawn since.
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
