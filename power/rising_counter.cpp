#include "power/rising_counter.hpp"

#include <algorithm>

#include "power/power_sensor.hpp"

namespace duoblas::power {
namespace {

// No domain of one counter (a socket, a GPU, its memory) draws as much.
constexpr double most_watts = 2000;
// Counters move in steps: readings shortly after one another may show a whole step.
constexpr double least_seconds = 1;

}  // namespace

double RisingCounter::joules(double seconds, double value_joules) {
  if (!last_) {
    last_ = {seconds, value_joules};
    return 0;
  }
  const Seen before = *last_;
  last_ = {seconds, value_joules};
  const double most = most_watts * std::max(seconds - before.seconds, least_seconds);
  if (most >= range_joules_)
    throw SensorError("read too rarely: the counter may have wrapped around unseen");
  double more = value_joules - before.value;
  if (more < 0) more += range_joules_;
  if (!(more >= 0 && more <= most)) throw SensorError("the counter jumped: no machine draws that");
  return total_ += more;
}

}  // namespace duoblas::power
