#include "tuner/timed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/energy_recorder.hpp"

namespace duoblas {
namespace {

double seconds_of(const std::vector<ComparisonRow>& rows, const std::string& strategy) {
  for (const ComparisonRow& row : rows)
    if (row.strategy == strategy && row.seconds > 0) return row.seconds;
  return std::numeric_limits<double>::infinity();
}

void measure_energy(EnergyRecorder& recorder, const std::string& tuning_case,
                    const std::vector<TimedCandidate>& candidates,
                    std::vector<ComparisonRow>& rows) {
  std::vector<EnergyCandidate> named;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].recovered) named.push_back({rows[i].strategy, candidates[i]});
  const auto found = recorder.measure(tuning_case, named);
  for (ComparisonRow& row : rows) {
    const auto energy = std::ranges::find(found, row.strategy, &StrategyEnergy::strategy);
    if (energy == found.end()) continue;
    row.energy = energy->domains;
    row.joules = energy->joules.value_or(0);
  }
}

}  // namespace

void time_rows(const std::vector<TimedCandidate>& candidates, const ComparisonOptions& options,
               double flops, const std::string& tuning_case, std::vector<ComparisonRow>& rows) {
  MeasureRules rules;
  rules.min_rounds = std::min(3, options.rounds);
  rules.max_rounds = options.rounds;
  rules.deadline = in_seconds(options.seconds_per_problem);
  rules.seed = options.seed;
  const auto timings = measure_interleaved(candidates, rules);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].recovered = timings[i].failed;
    rows[i].rounds = timings[i].rounds;
    for (const double seconds : timings[i].samples)
      if (!std::isnan(seconds)) rows[i].samples.push_back(seconds);
    if (timings[i].failed) continue;
    rows[i].seconds = timings[i].median;
    rows[i].seconds_q1 = timings[i].q1;
    rows[i].seconds_q3 = timings[i].q3;
    rows[i].gflops = flops / timings[i].median * 1e-9;
  }
  if (options.energy != nullptr) measure_energy(*options.energy, tuning_case, candidates, rows);
  const double side = std::min(seconds_of(rows, "cpu"), seconds_of(rows, "gpu"));
  for (ComparisonRow& row : rows)
    if (std::isfinite(side) && row.seconds > 0) row.speedup = side / row.seconds;
}

}  // namespace duoblas
