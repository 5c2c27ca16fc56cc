#include "power/power_sampler.hpp"

#include <algorithm>
#include <chrono>

#include "os/processor_use.hpp"
#include "os/signals_blocked.hpp"

namespace duoblas::power {
namespace {

// Counters with shorter intervals are more exact, and lose nothing if they are read less often.
constexpr double shortest_period = 50e-3;
constexpr double longest_period = 100e-3;
// A counter's step is seen within a quarter of the time between two steps.
constexpr double reads_per_update = 4;
// Each end of a window may be late by one update. In a shorter window, mean watts would depend on
// the moment of the reads.
constexpr double updates_per_window = 10;
// The thread's own time as a part of one core: half of what is promised.
constexpr double most_of_a_core = 0.0025;
// The time to start the thread and of the first reads does not count.
constexpr double free_seconds = 5e-3;
// The longest pause after an expensive read. One read of a sensor that slept would otherwise cause
// a minute without reads, and sums of watts are unknown across such a gap (PowerIntegral).
constexpr double longest_pause = 1;
// The time until a missing file is looked for again.
constexpr double retry_seconds = 0.5;

double window_for(const DomainSensor& source, double period) {
  if (!source.sensor || !source.sensor->info().counts) return 0;
  return updates_per_window * std::max(source.sensor->info().update_seconds, period);
}

}  // namespace

double period_for(const std::vector<DomainSensor>& domains) {
  double period = longest_period;
  for (const DomainSensor& source : domains)
    if (source.sensor)
      period = std::min(period, source.sensor->info().update_seconds / reads_per_update);
  return std::max(period, shortest_period);
}

double pause_seconds(double period, double used, double passed) {
  const double owed = (used - free_seconds) / most_of_a_core - passed;
  return std::clamp(owed, period, std::max(period, longest_pause));
}

PowerSampler::PowerSampler(std::vector<DomainSensor> domains, SamplerOptions options)
    : options_(std::move(options)),
      period_(options_.period_seconds > 0 ? options_.period_seconds : period_for(domains)) {
  for (const Domain domain : all_domains) {
    DomainSensor source{domain, nullptr, "no sensor was found"};
    for (DomainSensor& given : domains)
      if (given.domain == domain) source = std::move(given);
    const SensorInfo info = source.sensor ? source.sensor->info() : SensorInfo{};
    const double window = window_for(source, period_);
    channels_.push_back({std::move(source), EnergyTrace(info, window), 0});
  }
}

PowerSampler::~PowerSampler() {
  stop();
}

void PowerSampler::start() {
  const std::lock_guard turn(turns_);
  end();
  {
    const std::lock_guard lock(mutex_);
    for (Channel& channel : channels_) {
      if (!channel.source.sensor) continue;
      channel.source.sensor->restart();
      channel.trace.interrupt("");
      channel.retry_at = 0;
    }
    runs_ = true;
  }
  sample();
  if (!options_.own_thread) return;
  const SignalsBlocked for_new_threads;
  thread_ = std::thread([this] { run(); });
}

void PowerSampler::stop() {
  const std::lock_guard turn(turns_);
  end();
}

void PowerSampler::end() {
  {
    const std::lock_guard lock(mutex_);
    runs_ = false;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool PowerSampler::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

void PowerSampler::run() {
  const double begun = steady_seconds();
  for (;;) {
    sample();
    const std::chrono::duration<double> pause(
        pause_seconds(period_, thread_seconds(), steady_seconds() - begun));
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, pause, [this] { return !runs_; })) return;
  }
}

void PowerSampler::sample() {
  const std::lock_guard lock(mutex_);
  for (Channel& channel : channels_)
    if (channel.source.sensor) read(channel);
}

void PowerSampler::read(Channel& channel) {
  if (channel.retry_at > options_.clock()) return;
  try {
    channel.trace.add(channel.source.sensor->read());
    channel.retry_at = 0;
  } catch (const SensorError& e) {
    channel.trace.interrupt(e.what());
    channel.source.sensor->restart();
    channel.retry_at = options_.clock() + retry_seconds;
  }
}

std::vector<PowerSampler::DomainState> PowerSampler::states() const {
  const std::lock_guard lock(mutex_);
  std::vector<DomainState> states;
  for (const Channel& channel : channels_) {
    DomainState state{channel.source.domain, {}, channel.source.sensor != nullptr, {}, {}};
    if (state.has_sensor) {
      state.info = channel.source.sensor->info();
      state.watts = channel.trace.watts_now();
      if (!channel.trace.knows_anything()) state.reason = channel.trace.reason();
    } else {
      state.reason = channel.source.reason;
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace duoblas::power
