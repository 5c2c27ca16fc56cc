// Joules of calls by what they compute: strategies in turns, a second or more of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "power/energy_meter.hpp"
#include "tuner/energy_record.hpp"
#include "tuner/measure.hpp"

namespace duoblas {

struct EnergyCandidate {
  std::string strategy;
  TimedCandidate call;
};

/// The energy of one call of a strategy.
struct StrategyEnergy {
  std::string strategy;
  std::vector<DomainFigure> domains;  ///< those with a figure
  std::optional<double> joules;       ///< EnergyRecorder::sum(), together
};

class EnergyRecorder {
 public:
  /// The meter outlives this object.
  explicit EnergyRecorder(power::EnergyMeter& meter) : meter_(meter) {}

  /// Each candidate is called again and again for as long as makes a figure, three times in turns;
  /// medians over the turns. One that fails has no figures. Keeps the power of the first turn as a
  /// trace under this name.
  std::vector<StrategyEnergy> measure(const std::string& problem,
                                      const std::vector<EnergyCandidate>& candidates);

  /// For all domains: the sensor, or why there is none.
  std::vector<EnergySource> sources() const;
  /// "package + gpu": the domains in the joules; empty if no domain has a sensor.
  std::string sum() const;
  const std::vector<PowerTrace>& traces() const { return traces_; }

 private:
  void keep_trace(const std::string& problem, std::vector<PowerPhase> phases);

  power::EnergyMeter& meter_;
  std::vector<PowerTrace> traces_;
};

}  // namespace duoblas
