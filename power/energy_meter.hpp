// What work costs: joules, mean and peak watts between two marks.
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
  /// Mean of the highest window of the trace; nothing where none fitted in.
  std::optional<double> peak_watts;
};

struct DomainEnergy {
  Domain domain = Domain::package;
  std::string source;  ///< where there is a sensor
  bool in_package = false;
  std::optional<EnergyFigure> figure;
  std::string reason;  ///< why there is no figure
};

struct EnergyFigures {
  double seconds = 0;
  /// Whether there was work enough for figures to be believed: least_figure_seconds().
  bool long_enough = false;
  std::vector<DomainEnergy> domains;  ///< all of all_domains, in their order

  const DomainEnergy& of(Domain domain) const {
    return domains.at(static_cast<std::size_t>(domain));
  }
};

/// Domains whose joules together are the machine's, as far as it can be known, none of them
/// counted twice: the package (without it, the CPU), a GPU outside of it, memory; where there is
/// none of those, the system.
std::vector<Domain> domains_of_the_sum(const std::vector<PowerSampler::DomainState>& states);
/// The joules of these domains; nothing where one has no figure.
std::optional<double> joules_of(const EnergyFigures& figures, const std::vector<Domain>& domains);
/// "package + gpu".
std::string names_of(const std::vector<Domain>& domains);

class EnergyMeter {
 public:
  /// The sampler outlives this object, and runs between the marks.
  explicit EnergyMeter(PowerSampler& sampler) : sampler_(sampler) {}

  /// Now. Reads the sensors.
  double mark() const;
  /// From that mark to now. Waits until the slowest sensor has told, half a second at most where
  /// it is silent.
  EnergyFigures since(double begin) const;
  /// Between two marks; what no sensor has told yet has no figure.
  EnergyFigures between(double begin, double end) const;

  /// Whether the sensors of these domains have said what had been consumed at a mark. Reads them.
  bool has_told(double mark, const std::vector<Domain>& domains) const;

  /// Continuous work that makes a figure: a second, with slow sensors ten of their updates.
  double least_figure_seconds() const;
  /// The shortest work of which these sensors can tell anything: five updates of the slowest, 20 ms
  /// at least. Many such pieces together make a figure.
  double least_piece_seconds() const;
  /// The slowest sensor's update.
  double update_seconds() const;

 private:
  DomainEnergy energy_of(const PowerSampler::DomainState& state, double begin, double end) const;
  bool reaches(Domain domain, double seconds) const;

  PowerSampler& sampler_;
};

}  // namespace duoblas::power
