// What earlier runs of the same program showed about starting a device for it.
#pragma once

#include <optional>
#include <string>

namespace duoblas {

/// What earlier runs found out, in seconds of large calls.
struct KnownStart {
  double after = 0;   ///< start the device after so many; 0: at once
  double waited = 0;  ///< of runs since the last start, which ended before they had waited so long

  friend bool operator==(const KnownStart&, const KnownStart&) = default;
};

/// Stores when to start the device. A file of DUOBLAS_CACHE_DIR
/// per host, number of cores, executable, directory and command line, of which it contains only a
/// hash.
class ProgramHistory {
 public:
  explicit ProgramHistory(const std::string& cache_dir);

  /// Nothing: no earlier run has started a device.
  std::optional<KnownStart> known() const;
  /// For later runs. Does nothing if the file cannot be written.
  void remember(const KnownStart& start) const;

 private:
  std::string folder_, key_;
};

/// The value to store when a run starts the device, as long as that has not paid. Later runs wait
/// as long as unknown programs, and after each start in vain twice as long, up to a minute.
/// `usual`: the wait of unknown programs.
double start_after_a_start(std::optional<double> before, double usual);

}  // namespace duoblas
