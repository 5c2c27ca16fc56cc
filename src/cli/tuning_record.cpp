#include "cli/tuning_record.hpp"

#include <algorithm>

#include "cli/tuned_rates.hpp"

namespace duoblas::cli {
namespace {

double work(const TunedPoint& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

}  // namespace

void TuningRecord::progress(const TuneProgress& now) {
  if (now.best_gflops > 0) {
    if (series_.empty() || series_.back().name != now.subject) series_.push_back({now.subject, {}});
    auto& samples = series_.back().samples;
    if (samples.empty() || now.best_gflops > samples.back().best_gflops)
      samples.push_back({seconds_() - start_, now.best_gflops});
  }
  next_.progress(now);
}

void TuningRecord::tuned(const TunedPoint& point) {
  // The search of this subject lasted until now, also where it found nothing better for long.
  if (!series_.empty() && series_.back().name == subject_of(point)) {
    auto& samples = series_.back().samples;
    samples.push_back({seconds_() - start_, samples.back().best_gflops});
  }
  next_.tuned(point);
}

TunePlot plot_of(const Profile& profile, const std::vector<ProgressSeries>& progress) {
  const TunedPoint& p = *std::ranges::max_element(profile.points, {}, work);
  TunePlot plot;
  plot.title = profile.key.device + " and " + profile.key.cpu;
  plot.split_subject = subject_of(p);
  plot.split = {{0, p.cpu_seconds, 0, p.cpu_seconds},
                {p.simple.share.fraction(), 0, 0, p.simple.seconds},
                {p.hybrid.share.fraction(), 0, 0, p.hybrid.seconds},
                {1, 0, p.gpu.seconds, p.gpu.seconds}};
  plot.chosen_share = p.hybrid.share.fraction();
  plot.progress = progress;
  return plot;
}

}  // namespace duoblas::cli
