#include "power/energy_meter.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "os/processor_use.hpp"
#include "os/signals_blocked.hpp"

namespace duoblas::power {
namespace {

// Counters with shorter intervals are more exact, and lose nothing if they are read less often.
constexpr double period_seconds = 50e-3;
// The thread's own time as a part of one core.
constexpr double most_of_a_core = 0.0025;
// The longest pause after an expensive read. Sums of watts are unknown across a longer gap
// (EnergySensor).
constexpr double longest_pause = 1;
// The time until a missing file is looked for again.
constexpr double retry_seconds = 0.5;
// Each end of a window may be late by one update. In a shorter window, mean watts would depend on
// the moment of the reads.
constexpr double updates_per_window = 10;

constexpr double least_figure = 1;
constexpr double updates_per_figure = 10;
constexpr double least_piece = 20e-3;
constexpr double updates_per_piece = 5;
// A sensor says within two of its updates what had been consumed at a mark.
constexpr double patience_updates = 3;
constexpr double longest_deadline = 0.5;
constexpr std::chrono::milliseconds pause_between_reads(2);

double window_of(const SensorInfo& info) {
  return info.counts ? updates_per_window * std::max(info.update_seconds, period_seconds) : 0;
}

// A thread that gets none of the program's signals.
template <typename Work>
std::thread thread_without_signals(Work work) {
  const SignalsBlocked for_new_threads;
  return std::thread(std::move(work));
}

}  // namespace

double pause_seconds(double used) {
  return std::clamp(used / most_of_a_core, period_seconds, longest_pause);
}

std::optional<double> EnergyFigures::joules_of(const std::vector<Domain>& sum) const {
  if (sum.empty()) return std::nullopt;
  double joules = 0;
  for (const Domain domain : sum) {
    if (!of(domain).figure) return std::nullopt;
    joules += of(domain).figure->joules;
  }
  return joules;
}

EnergyMeter::EnergyMeter(std::vector<DomainSensor> sensors)
    : EnergyMeter(std::move(sensors), steady_seconds) {
  thread_ = thread_without_signals([this] { run(); });
}

EnergyMeter::EnergyMeter(std::vector<DomainSensor> sensors, PowerClock clock)
    : clock_(std::move(clock)), retry_at_(all_domains.size(), 0) {
  for (const Domain domain : all_domains) {
    DomainSensor source{domain, std::nullopt, "no sensor was found"};
    for (DomainSensor& given : sensors)
      if (given.domain == domain) source = std::move(given);
    const SensorInfo info = source.sensor ? source.sensor->info() : SensorInfo{};
    traces_.emplace_back(info, window_of(info));
    sensors_.push_back(std::move(source));
  }
  read_all();
}

EnergyMeter::~EnergyMeter() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void EnergyMeter::run() {
  for (double before = thread_seconds();;) {
    read_all();
    const double now = thread_seconds();
    const std::chrono::duration<double> pause(pause_seconds(now - std::exchange(before, now)));
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, pause, [this] { return ends_; })) return;
  }
}

void EnergyMeter::read_all() {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    auto& sensor = sensors_[i].sensor;
    if (!sensor || retry_at_[i] > clock_()) continue;
    try {
      traces_[i].add(sensor->read());
    } catch (const SensorError& e) {
      traces_[i].interrupt(e.what());
      sensor->restart();
      retry_at_[i] = clock_() + retry_seconds;
    }
  }
}

double EnergyMeter::update_seconds() const {
  double slowest = 0;
  for (const DomainSensor& s : sensors_)
    if (s.sensor) slowest = std::max(slowest, s.sensor->info().update_seconds);
  return slowest;
}

double EnergyMeter::least_figure_seconds() const {
  return std::max(least_figure, updates_per_figure * update_seconds());
}

double EnergyMeter::least_peak_seconds() const {
  double longest = 0;
  for (const DomainSensor& s : sensors_)
    if (s.sensor) longest = std::max(longest, window_of(s.sensor->info()));
  return longest * (1 + 2 / updates_per_window);
}

double EnergyMeter::least_piece_seconds() const {
  return std::max(least_piece, updates_per_piece * update_seconds());
}

double EnergyMeter::mark() {
  const double now = clock_();
  read_all();
  return now;
}

bool EnergyMeter::has_told(double mark, const std::vector<Domain>& domains) {
  read_all();
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(domains, [&](Domain domain) {
    const EnergyTrace& trace = traces_.at(static_cast<std::size_t>(domain));
    return !trace.knows_anything() || trace.reaches(mark);
  });
}

EnergyFigures EnergyMeter::since(double begin) {
  const double end = mark();
  std::vector<Domain> sensed;
  for (const DomainSensor& s : sensors_)
    if (s.sensor) sensed.push_back(s.domain);
  auto time_left = std::chrono::duration<double>(
      std::min(patience_updates * update_seconds(), longest_deadline));
  for (; thread_.joinable() && time_left.count() > 0 && !has_told(end, sensed);
       time_left -= pause_between_reads)
    std::this_thread::sleep_for(pause_between_reads);
  return between(begin, end);
}

EnergyFigures EnergyMeter::between(double begin, double end) const {
  const std::lock_guard lock(mutex_);
  EnergyFigures figures{end - begin, end - begin >= least_figure_seconds(), {}};
  for (std::size_t i = 0; i < sensors_.size(); ++i)
    figures.domains.push_back(energy_of(i, begin, end));
  return figures;
}

DomainEnergy EnergyMeter::energy_of(std::size_t place, double begin, double end) const {
  const DomainSensor& source = sensors_[place];
  const EnergyTrace& trace = traces_[place];
  const auto without = [&](std::string reason) {
    return DomainEnergy{source.domain, std::nullopt, std::move(reason)};
  };
  if (!source.sensor) return without(source.reason);
  if (!trace.begins_before(begin))
    return without(trace.reason().empty() ? "it was not sampled all the time" : trace.reason());
  if (!trace.reaches(end) || !(end > begin)) return without("the sensor has not told yet");
  EnergyFigure figure;
  figure.joules = trace.joules_at(end) - trace.joules_at(begin);
  // Every other part of a machine that is switched on draws something.
  if (!(figure.joules > 0) && !source.sensor->info().may_rest)
    return without("the sensor stood still");
  figure.mean_watts = figure.joules / (end - begin);
  for (const WattsOverTime& window : trace.watts(begin, end))
    figure.peak_watts = std::max(figure.peak_watts.value_or(figure.mean_watts), window.watts);
  return {source.domain, figure, ""};
}

std::vector<WattsOverTime> EnergyMeter::watts(Domain domain, double begin, double end) const {
  const std::lock_guard lock(mutex_);
  return traces_.at(static_cast<std::size_t>(domain)).watts(begin, end);
}

}  // namespace duoblas::power
