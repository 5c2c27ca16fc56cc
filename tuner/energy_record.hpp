// The energy of calls in joules, and the power in watts over time.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace duoblas {

/// A figure of one domain with a sensor. Domains without one are absent: no figure is ever zero.
struct DomainFigure {
  std::string domain;     ///< "package", "cpu", "gpu", "dram", "system"
  double joules = 0;      ///< of one call
  double mean_watts = 0;  ///< over a second or more of calls, one after another
  std::optional<double> peak_watts;
};

/// The sensor of a domain, or why it has none.
struct EnergySource {
  std::string domain;
  std::string source;      ///< empty if there is none
  std::string resolution;  ///< of the source
  std::string reason;      ///< why there is none
};

/// A strategy was at work from `begin` to `end`, in seconds of the trace.
struct PowerPhase {
  std::string strategy;
  double begin = 0;
  double end = 0;
};

struct WattsAt {
  double seconds = 0;
  double watts = 0;
};

struct PowerLine {
  std::string domain;
  std::vector<WattsAt> watts;
};

/// Power while strategies took turns at one problem.
struct PowerTrace {
  std::string problem;  ///< "sgemm nn 2048 x 2048 x 2048"
  std::vector<PowerPhase> phases;
  std::vector<PowerLine> lines;
};

}  // namespace duoblas
