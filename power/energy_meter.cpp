#include "power/energy_meter.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace duoblas::power {
namespace {

constexpr double least_seconds = 1;
constexpr double updates_per_figure = 10;
constexpr double least_piece = 20e-3;
constexpr double updates_per_piece = 5;
// A sensor says within two of its updates what had been consumed at a mark.
constexpr double patience_updates = 3;
constexpr double longest_deadline = 0.5;
constexpr std::chrono::milliseconds pause_between_reads(2);

}  // namespace

std::vector<Domain> domains_of_the_sum(const std::vector<PowerSampler::DomainState>& states) {
  const auto has = [&](Domain domain) {
    return std::ranges::any_of(states,
                               [&](const auto& s) { return s.domain == domain && s.has_sensor; });
  };
  std::vector<Domain> sum;
  for (const auto& state : states) {
    if (!state.has_sensor || state.domain == Domain::system) continue;
    if (state.info.in_package && has(Domain::package)) continue;
    sum.push_back(state.domain);
  }
  if (sum.empty() && has(Domain::system)) sum.push_back(Domain::system);
  return sum;
}

std::optional<double> joules_of(const EnergyFigures& figures, const std::vector<Domain>& domains) {
  double sum = 0;
  for (const Domain domain : domains) {
    const auto& figure = figures.of(domain).figure;
    if (!figure) return std::nullopt;
    sum += figure->joules;
  }
  if (domains.empty()) return std::nullopt;
  return sum;
}

std::string names_of(const std::vector<Domain>& domains) {
  std::string text;
  for (const Domain domain : domains)
    text += (text.empty() ? "" : " + ") + std::string(name_of(domain));
  return text;
}

double EnergyMeter::update_seconds() const {
  double slowest = 0;
  for (const auto& state : sampler_.states())
    if (state.has_sensor) slowest = std::max(slowest, state.info.update_seconds);
  return slowest;
}

double EnergyMeter::least_figure_seconds() const {
  return std::max(least_seconds, updates_per_figure * update_seconds());
}

double EnergyMeter::least_piece_seconds() const {
  return std::max(least_piece, updates_per_piece * update_seconds());
}

double EnergyMeter::mark() const {
  const double now = sampler_.now();
  sampler_.sample();
  return now;
}

bool EnergyMeter::reaches(Domain domain, double seconds) const {
  return sampler_.with_trace(domain, [&](const EnergyTrace& trace) {
    return !trace.knows_anything() || trace.reaches(seconds);
  });
}

bool EnergyMeter::has_told(double mark, const std::vector<Domain>& domains) const {
  sampler_.sample();
  return std::ranges::all_of(domains, [&](Domain domain) { return reaches(domain, mark); });
}

EnergyFigures EnergyMeter::since(double begin) const {
  const double end = mark();
  std::vector<Domain> sensed;
  for (const auto& state : sampler_.states())
    if (state.has_sensor) sensed.push_back(state.domain);
  auto time_left = std::chrono::duration<double>(
      std::min(patience_updates * update_seconds(), longest_deadline));
  for (; sampler_.runs() && time_left.count() > 0 && !has_told(end, sensed);
       time_left -= pause_between_reads)
    std::this_thread::sleep_for(pause_between_reads);
  return between(begin, end);
}

EnergyFigures EnergyMeter::between(double begin, double end) const {
  EnergyFigures figures{end - begin, end - begin >= least_figure_seconds(), {}};
  for (const auto& state : sampler_.states())
    figures.domains.push_back(energy_of(state, begin, end));
  return figures;
}

DomainEnergy EnergyMeter::energy_of(const PowerSampler::DomainState& state, double begin,
                                    double end) const {
  DomainEnergy energy{state.domain, state.info.source, state.info.in_package, {}, state.reason};
  if (!state.has_sensor) return energy;
  sampler_.with_trace(state.domain, [&](const EnergyTrace& trace) {
    if (!trace.begins_before(begin)) {
      energy.reason = trace.reason().empty() ? "it was not sampled all the time" : trace.reason();
    } else if (!trace.reaches(end) || !(end > begin)) {
      energy.reason = "the sensor has not told yet";
    } else {
      EnergyFigure figure;
      figure.joules = trace.joules_at(end) - trace.joules_at(begin);
      figure.mean_watts = figure.joules / (end - begin);
      for (const WattsOverTime& window : trace.watts(begin, end))
        figure.peak_watts = std::max(figure.peak_watts.value_or(figure.mean_watts), window.watts);
      // Every other part of a machine that is switched on draws something.
      if (figure.joules > 0 || state.info.may_rest)
        energy.figure = figure;
      else
        energy.reason = "the sensor stood still";
    }
  });
  return energy;
}

}  // namespace duoblas::power
