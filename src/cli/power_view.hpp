// What `duoblas power` shows: the sensors, the watts as they change, and what was used in all.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "power/energy_meter.hpp"

namespace duoblas::cli {

/// The best sensor of each domain with its resolution, the others, and what is missing and why.
void print_power_sources(const std::vector<power::MissingSource>& missing,
                         const std::vector<power::SensorInfo>& found,
                         const std::vector<power::PowerSampler::DomainState>& states,
                         std::ostream& out);

/// Watts of each domain that has a sensor, again and again: rows that are drawn over on a terminal,
/// each with a sparkline; a line per time in a pipe.
class PowerView {
 public:
  struct Output {
    std::ostream& out;
    /// The columns of the terminal now; nothing: there is none.
    std::function<std::optional<std::size_t>()> columns;
    bool utf8 = false;
  };
  explicit PowerView(Output output) : output_(std::move(output)) {}

  void show(double seconds, const std::vector<power::PowerSampler::DomainState>& states);

 private:
  void draw(std::size_t columns, const std::vector<power::PowerSampler::DomainState>& states);

  Output output_;
  std::map<power::Domain, std::vector<double>> history_;
  std::size_t drawn_ = 0;  ///< rows, which the next ones go over
};

void print_energy(const power::EnergyFigures& figures, std::ostream& out);

/// "42.3 W", "unavailable".
std::string watts_text(std::optional<double> watts);

}  // namespace duoblas::cli
