// The data for a tuning's picture.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/tune.hpp"
#include "tuner/tune_plot.hpp"

namespace duoblas::cli {

/// Records the best result over time, and passes everything on to another listener.
class TuningRecord : public TuneListener {
 public:
  /// `seconds` is any clock that never goes back; the record's time starts now.
  TuningRecord(TuneListener& next, std::function<double()> seconds)
      : next_(next), seconds_(std::move(seconds)), start_(seconds_()) {}

  void progress(const TuneProgress& progress) override;
  void rejected(const std::string& kernel, const std::string& why) override {
    next_.rejected(kernel, why);
  }
  void tuned(const TunedPoint& point) override;

  /// One series per tuning case, in the order in which they were tuned.
  const std::vector<ProgressSeries>& series() const { return series_; }

 private:
  TuneListener& next_;
  std::function<double()> seconds_;
  double start_;
  std::vector<ProgressSeries> series_;
};

/// The tuned point with the most work, which the picture shows. \pre there is one.
const TunedPoint& largest_point(const Profile& profile);

/// The picture's data: the measured shares of the profile's largest product with its co-tuned
/// kernel, from the journal; this progress; and the effect of single parameters, as far as the
/// search varied them around the kernel that is best alone. \pre there is a tuned point. \throws
/// SettingError if the journal has nothing about that product.
TunePlot plot_of(const Profile& profile, const std::vector<ProgressSeries>& progress,
                 const std::string& journal);

}  // namespace duoblas::cli
