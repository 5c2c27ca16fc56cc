// What earlier runs of this very program showed of starting a device for it.
#pragma once

#include <optional>
#include <string>

namespace duoblas {

/// Seconds of large calls after which the device is to be started. A file of DUOBLAS_CACHE_DIR, per
/// host and number of cores, executable, folder and command line, of which it holds a hash alone.
class ProgramHistory {
 public:
  explicit ProgramHistory(const std::string& cache_dir);

  /// Nothing: no run of it has started one.
  std::optional<double> start_after() const;
  /// For later runs. What cannot be written is forgotten.
  void remember(double start_after) const;

 private:
  std::string folder_, key_;
};

/// What a run is to leave behind when it starts the device, which so far has paid for nothing:
/// later runs wait as long as those that are not known, and each time in vain twice as long, up to
/// a minute. `usual`: of runs that are not known.
double start_after_a_start(std::optional<double> before, double usual);

}  // namespace duoblas
