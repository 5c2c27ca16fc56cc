// The energy of work: joules, mean and peak watts between two marks.
//
//   EnergyMeter meter(best_sensors(find_power_sources()));
//   const double begin = meter.mark();
//   ... a second of continuous work ...
//   const EnergyFigures figures = meter.since(begin);
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "power/energy_trace.hpp"
#include "power/sources.hpp"

namespace duoblas::power {

struct EnergyFigure {
  double joules = 0;
  double mean_watts = 0;
  /// The mean of the highest window of the trace; nothing if no window fits.
  std::optional<double> peak_watts;
};

struct DomainEnergy {
  Domain domain = Domain::package;
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
  /// The joules of these domains; nothing if one has no figure.
  std::optional<double> joules_of(const std::vector<Domain>& sum) const;
};

/// Reads its sensors from its construction on, on a thread of its own. May be used by several
/// threads.
class EnergyMeter {
 public:
  explicit EnergyMeter(std::vector<DomainSensor> sensors);
  /// By this clock, and without a thread: only mark() reads.
  EnergyMeter(std::vector<DomainSensor> sensors, PowerClock clock);
  ~EnergyMeter();
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  /// All of all_domains, in their order.
  const std::vector<DomainSensor>& sensors() const { return sensors_; }

  double now() const { return clock_(); }
  /// The present moment. Reads the sensors.
  double mark();
  /// The figures from that mark to now. Waits until the slowest sensor has reported; at most half a
  /// second if it is silent.
  EnergyFigures since(double begin);
  /// The figures between two marks; sensors that have not reported yet have none.
  EnergyFigures between(double begin, double end) const;
  /// Whether the sensors of these domains have reported beyond a mark. Reads them.
  bool has_told(double mark, const std::vector<Domain>& domains);
  /// A domain's watts between two moments.
  std::vector<WattsOverTime> watts(Domain domain, double begin, double end) const;

  /// The duration of continuous work that a figure needs: a second, or ten updates of slow sensors.
  double least_figure_seconds() const;
  /// The same for a peak of every domain: a window of the slowest counter, and an update at each of
  /// its ends.
  double least_peak_seconds() const;
  /// The shortest work that these sensors can measure: five updates of the slowest, at least 20 ms.
  /// Many such pieces together make a figure.
  double least_piece_seconds() const;
  /// The time between two updates of the slowest sensor.
  double update_seconds() const;

 private:
  void run();
  void read_all();
  DomainEnergy energy_of(std::size_t place, double begin, double end) const;

  PowerClock clock_;
  std::vector<DomainSensor> sensors_;
  mutable std::mutex mutex_;         ///< guards what follows, and the sensors' readings
  std::vector<EnergyTrace> traces_;  ///< of the sensors, in their order
  std::vector<double> retry_at_;     ///< sensors that failed are left alone until then
  bool ends_ = false;
  std::condition_variable wake_;
  std::thread thread_;
};

/// The pause after reads that took so many seconds of a core: so long that they take a small part
/// of it, but at most a second.
double pause_seconds(double used);

}  // namespace duoblas::power
