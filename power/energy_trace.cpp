#include "power/energy_trace.hpp"

#include <algorithm>

namespace duoblas::power {
namespace {

// 16 bytes each; at 50 ms, 50 minutes before the older half is thinned out.
constexpr std::size_t most_knots = 60'000;
// A counter that has not moved for so many updates consumes nothing (a sleeping GPU).
constexpr double still_updates = 1.5;

}  // namespace

EnergyTrace::EnergyTrace(const SensorInfo& info, double window_seconds)
    : update_seconds_(info.update_seconds), counts_(info.counts), window_seconds_(window_seconds) {}

void EnergyTrace::add(const EnergyReading& reading) {
  if (knots_.empty()) {
    knots_.push_back(reading);
    last_is_still_ = false;
    return;
  }
  const EnergyReading last = knots_.back();
  if (reading.seconds <= last.seconds) return;
  const bool still = counts_ && reading.joules == last.joules;
  if (still && reading.seconds - last.seconds <= still_updates * update_seconds_) return;
  if (still && last_is_still_)
    knots_.back() = reading;
  else
    knots_.push_back(reading);
  last_is_still_ = still;
  if (knots_.size() > most_knots) thin_out();
}

// Questions about the older half have marks seconds apart, so half of its readings will do.
void EnergyTrace::thin_out() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < knots_.size(); i += i < most_knots / 2 ? 2 : 1)
    knots_[kept++] = knots_[i];
  knots_.resize(kept);
}

void EnergyTrace::interrupt(const std::string& reason) {
  knots_.clear();
  reason_ = reason;
}

bool EnergyTrace::begins_before(double seconds) const {
  return !knots_.empty() && knots_.front().seconds <= seconds;
}

bool EnergyTrace::reaches(double seconds) const {
  return !knots_.empty() && knots_.back().seconds >= seconds;
}

double EnergyTrace::joules_at(double seconds) const {
  const auto after = std::ranges::lower_bound(knots_, seconds, {}, &EnergyReading::seconds);
  if (after == knots_.begin()) return after->joules;
  const EnergyReading& before = *(after - 1);
  const double part = (seconds - before.seconds) / (after->seconds - before.seconds);
  return before.joules + part * (after->joules - before.joules);
}

std::vector<WattsOverTime> EnergyTrace::watts(double begin, double end) const {
  std::vector<WattsOverTime> found;
  auto from = std::ranges::lower_bound(knots_, begin, {}, &EnergyReading::seconds);
  for (auto to = from; to != knots_.end() && to->seconds <= end; ++to) {
    const double length = to->seconds - from->seconds;
    if (length <= 0 || length < window_seconds_) continue;
    found.push_back({from->seconds, to->seconds, (to->joules - from->joules) / length});
    from = to;
  }
  return found;
}

}  // namespace duoblas::power
