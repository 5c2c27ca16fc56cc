// A counter of energy that wraps around, as joules that only rise.
#pragma once

#include <optional>

namespace duoblas::power {

class RisingCounter {
 public:
  /// It goes from 0 to `range_joules` and starts over; infinite: it never does.
  explicit RisingCounter(double range_joules) : range_joules_(range_joules) {}

  /// The joules since the first call, whose value counts as none. \throws SensorError where the
  /// counter may have wrapped around unseen, or went where no machine's power takes it.
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
