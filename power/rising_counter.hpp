// Turns a counter of energy that wraps around into joules that only rise.
#pragma once

#include <optional>

namespace duoblas::power {

class RisingCounter {
 public:
  /// The counter goes from 0 to `range_joules` and starts again. Infinite: it never wraps around.
  explicit RisingCounter(double range_joules) : range_joules_(range_joules) {}

  /// The joules since the first call, whose value counts as zero. \throws SensorError if the
  /// counter may have wrapped around unnoticed, or rose more than any machine's power allows.
  double joules(double seconds, double value_joules);

 private:
  struct Seen {
    double seconds = 0;
    double value = 0;
  };
  double range_joules_;
  std::optional<Seen> last_;
  double total_ = 0;
};

}  // namespace duoblas::power
