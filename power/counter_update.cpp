#include "power/counter_update.hpp"

#include <chrono>
#include <thread>

#include "power/power_sensor.hpp"

namespace duoblas::power {
namespace {

constexpr std::chrono::milliseconds look_every(1);
constexpr int moves_to_see = 4;

}  // namespace

double seen_update_seconds(const std::function<double()>& counter, double longest_seconds) {
  const double begin = steady_seconds();
  double first_move = 0;
  int moves = 0;
  double now = begin;
  for (double last = counter(); now - begin < longest_seconds;) {
    std::this_thread::sleep_for(look_every);
    const double value = counter();
    now = steady_seconds();
    if (value == last) continue;
    last = value;
    if (moves++ == 0) first_move = now;
    if (moves > moves_to_see) return (now - first_move) / moves_to_see;
  }
  if (moves == 0) throw SensorError("the counter stands still: nothing moves it on this machine");
  return (now - begin) / moves;
}

}  // namespace duoblas::power
