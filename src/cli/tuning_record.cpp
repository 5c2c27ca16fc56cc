#include "cli/tuning_record.hpp"

#include <algorithm>
#include <utility>

#include "cli/tuned_rates.hpp"
#include "timing/median.hpp"
#include "tuner/journal_recording.hpp"
#include "tuner/measure.hpp"

namespace duoblas::cli {
namespace {

double work(const TunedPoint& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

// The median times of this kernel with both sides, and of each side alone.
std::vector<SplitSample> measured_shares(const Recording& recording, const KernelParams& kernel) {
  std::vector<SplitSample> shares;
  for (const auto& [trial, samples] : recording.trials) {
    const auto place = static_cast<std::size_t>(trial.candidate.kernel);
    if (trial.sides != Sides::cpu && recording.space.kernels[place] != kernel) continue;
    // Configuration 0 is the CPU side's. Others are for the CPU alone, on all cores.
    if (trial.sides == Sides::cpu && trial.candidate.cpu != 0) continue;
    // Named, for Clang before 16 captures no structured binding by itself.
    const auto median = [&samples = samples](double CallSample::*seconds) {
      std::vector<double> values;
      for (const CallSample& s : samples) values.push_back(s.*seconds);
      return duoblas::median(std::move(values));
    };
    const double whole = median(&CallSample::whole);
    if (trial.sides == Sides::cpu) {
      shares.push_back({0, whole, 0, whole});
    } else if (trial.sides == Sides::gpu) {
      shares.push_back({1, 0, whole, whole});
    } else {
      const double share = static_cast<double>(trial.candidate.gpu_parts) / recording.space.parts;
      shares.push_back({share, median(&CallSample::cpu), median(&CallSample::gpu), whole});
    }
  }
  return shares;
}

}  // namespace

void TuningRecord::progress(const TuneProgress& now) {
  if (now.best_gflops > 0) {
    if (series_.empty() || series_.back().name != now.tuning_case)
      series_.push_back({now.tuning_case, {}});
    auto& samples = series_.back().samples;
    if (samples.empty() || now.best_gflops > samples.back().best_gflops)
      samples.push_back({seconds_() - start_, now.best_gflops});
  }
  next_.progress(now);
}

void TuningRecord::tuned(const TunedPoint& point) {
  // The search of this tuning case lasted until now, even if it found nothing better for long.
  if (!series_.empty() && series_.back().name == tuning_case_of(point)) {
    auto& samples = series_.back().samples;
    samples.push_back({seconds_() - start_, samples.back().best_gflops});
  }
  next_.tuned(point);
}

const TunedPoint& largest_point(const Profile& profile) {
  return *std::ranges::max_element(profile.points, {}, work);
}

TunePlot plot_of(const Profile& profile, const std::vector<ProgressSeries>& progress,
                 const std::string& journal) {
  const TunedPoint& p = largest_point(profile);
  TunePlot plot;
  plot.title = profile.key.device + " and " + profile.key.cpu;
  plot.split_case = tuning_case_of(p);
  const Recording recording = recording_from_journal(journal, plot.split_case);
  plot.split = measured_shares(recording, p.hybrid.kernel);
  plot.chosen_share = p.hybrid.share.fraction();
  plot.progress = progress;
  // The curves with the most values come first; more of them would say little.
  constexpr std::size_t most_curves = 6;
  plot.curves = recorded_field_curves(recording, p.gpu, 1e9 * gflops(p, 1));
  if (plot.curves.size() > most_curves) plot.curves.resize(most_curves);
  return plot;
}

}  // namespace duoblas::cli
