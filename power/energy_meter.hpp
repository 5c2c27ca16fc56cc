// The energy of work: joules, mean and peak watts between two marks.
//
//   PowerSampler sampler(best_sensors(find_power_sources()));
//   sampler.start();
//   const EnergyMeter meter(sampler);
//   const double begin = meter.mark();
//   ... a second of continuous work ...
//   const EnergyFigures figures = meter.since(begin);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "power/power_sampler.hpp"

namespace duoblas::power {

struct EnergyFigure {
  double joules = 0;
  double mean_watts = 0;
  /// The mean of the highest window of the trace; nothing if no window fits.
  std::optional<double> peak_watts;
};

struct DomainEnergy {
  Domain domain = Domain::package;
  std::string source;  ///< if there is a sensor
  bool in_package = false;
  std::optional<EnergyFigure> figure;
  std::string reason;  ///< why there is no figure
};

struct EnergyFigures {
  double seconds = 0;
  /// Whether the work was long enough for reliable figures: least_figure_seconds().
  bool long_enough = false;
  std::vector<DomainEnergy> domains;  ///< all of all_domains, in their order

  const DomainEnergy& of(Domain domain) const {
    return domains.at(static_cast<std::size_t>(domain));
  }
};

/// Domains whose sum is the machine's energy as far as possible, without counting anything twice:
/// the package (or else the CPU), a GPU outside of it, memory. If none of these has a sensor: the
/// system.
std::vector<Domain> domains_of_the_sum(const std::vector<PowerSampler::DomainState>& states);
/// The joules of these domains; nothing if one has no figure.
std::optional<double> joules_of(const EnergyFigures& figures, const std::vector<Domain>& domains);
/// "package + gpu".
std::string names_of(const std::vector<Domain>& domains);

class EnergyMeter {
 public:
  /// The sampler outlives this object, and runs between the marks.
  explicit EnergyMeter(PowerSampler& sampler) : sampler_(sampler) {}

  /// The present moment. Reads the sensors.
  double mark() const;
  /// The figures from that mark to now. Waits until the slowest sensor has reported; at most half a
  /// second if it is silent.
  EnergyFigures since(double begin) const;
  /// The figures between two marks; sensors that have not reported yet have none.
  EnergyFigures between(double begin, double end) const;

  /// Whether the sensors of these domains have reported beyond a mark. Reads them.
  bool has_told(double mark, const std::vector<Domain>& domains) const;

  /// The duration of continuous work that a figure needs: a second, or ten updates of slow sensors.
  double least_figure_seconds() const;
  /// The shortest work that these sensors can measure: five updates of the slowest, at least 20 ms.
  /// Many such pieces together make a figure.
  double least_piece_seconds() const;
  /// The time between two updates of the slowest sensor.
  double update_seconds() const;

 private:
  DomainEnergy energy_of(const PowerSampler::DomainState& state, double begin, double end) const;
  bool reaches(Domain domain, double seconds) const;

  PowerSampler& sampler_;
};

}  // namespace duoblas::power
