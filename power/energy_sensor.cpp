#include "power/energy_sensor.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

namespace duoblas::power {
namespace {

// No domain of one gauge (a socket, a GPU, its memory) draws as much.
constexpr double most_watts = 2000;
// Counters move in steps: readings shortly after one another may show a whole step.
constexpr double least_seconds = 1;
// The meter reads every second at least; a machine that was busy may have held it up.
constexpr double longest_gap_seconds = 2;
constexpr std::chrono::milliseconds look_every(1);
constexpr std::size_t pauses_to_see = 5;

std::string in_thousands(double value, const char* unit) {
  const char* prefix = "";
  if (value < 1e-3) {
    value *= 1e6;
    prefix = "u";
  } else if (value < 1) {
    value *= 1e3;
    prefix = "m";
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s%s", value, prefix, unit);
  return text;
}

}  // namespace

const char* name_of(Domain domain) {
  switch (domain) {
    case Domain::package: return "package";
    case Domain::cpu: return "cpu";
    case Domain::gpu: return "gpu";
    case Domain::dram: return "dram";
    case Domain::system: return "system";
  }
  return "";
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string resolution(const SensorInfo& info) {
  std::string text = info.counts ? "counted" : "watts over time";
  if (info.update_seconds > 0) text += ", every " + in_thousands(info.update_seconds, "s");
  if (info.step_joules > 0) text += ", in steps of " + in_thousands(info.step_joules, "J");
  return text;
}

EnergySensor::EnergySensor(SensorInfo info, PowerClock clock, std::vector<Gauge> gauges)
    : info_(std::move(info)), clock_(std::move(clock)), gauges_(std::move(gauges)) {}

EnergyReading EnergySensor::read() {
  Seen now{clock_(), {}};
  for (const Gauge& gauge : gauges_) {
    const double value = gauge.value();
    if (!(value >= 0) || !std::isfinite(value))
      throw SensorError("what was read is no energy or power");
    now.values.push_back(value);
  }
  if (last_)
    for (std::size_t i = 0; i < gauges_.size(); ++i)
      total_ += used(gauges_[i], last_->values[i], now.values[i], now.seconds - last_->seconds);
  last_ = std::move(now);
  return {last_->seconds, total_};
}

double EnergySensor::used(const Gauge& gauge, double before, double now, double seconds) const {
  if (!info_.counts) {
    if (seconds > longest_gap_seconds)
      throw SensorError("read too rarely: what was drawn in between is not known");
    return (before + now) / 2 * seconds;
  }
  const double most = most_watts * std::max(seconds, least_seconds);
  if (most >= gauge.range_joules)
    throw SensorError("read too rarely: the counter may have wrapped around unseen");
  const double more = now - before + (now < before ? gauge.range_joules : 0);
  if (more > most) throw SensorError("the counter jumped: no machine draws that");
  return more;
}

double seen_update_seconds(const std::function<double()>& counter, double longest_seconds) {
  const double begin = steady_seconds();
  double now = begin, last_move = 0;
  std::vector<double> pauses;
  for (double last = counter(); now - begin < longest_seconds && pauses.size() < pauses_to_see;) {
    std::this_thread::sleep_for(look_every);
    const double value = counter();
    now = steady_seconds();
    if (value == last) continue;
    last = value;
    if (last_move > 0) pauses.push_back(now - last_move);
    last_move = now;
  }
  if (last_move == 0)
    throw SensorError("the counter stands still: nothing moves it on this machine");
  if (pauses.empty()) return now - begin;
  std::ranges::sort(pauses);
  return pauses[pauses.size() / 2];
}

}  // namespace duoblas::power
