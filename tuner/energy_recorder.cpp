#include "tuner/energy_recorder.hpp"

#include <utility>

#include "timing/median.hpp"

namespace duoblas {
namespace {

constexpr int rounds = 3;

// One piece of continuous work.
struct Piece {
  power::EnergyFigures figures;
  int calls = 0;
};

StrategyEnergy energy_of(const std::string& strategy, const std::vector<Piece>& pieces,
                         const std::vector<power::Domain>& sum) {
  StrategyEnergy energy{strategy, {}, {}};
  for (const power::Domain domain : power::all_domains) {
    std::vector<double> joules, mean, peak;
    for (const Piece& piece : pieces) {
      const auto& figure = piece.figures.of(domain).figure;
      if (!piece.figures.long_enough || !figure) continue;
      joules.push_back(figure->joules / piece.calls);
      mean.push_back(figure->mean_watts);
      if (figure->peak_watts) peak.push_back(*figure->peak_watts);
    }
    if (joules.empty()) continue;
    DomainFigure figure{power::name_of(domain), median(joules), median(mean), {}};
    // A slow sensor gives no peak for some pieces. Then there is none for all of them together.
    if (peak.size() == mean.size()) figure.peak_watts = median(peak);
    energy.domains.push_back(std::move(figure));
  }
  std::vector<double> together;
  for (const Piece& piece : pieces)
    if (const auto joules = piece.figures.joules_of(sum); joules && piece.figures.long_enough)
      together.push_back(*joules / piece.calls);
  if (!together.empty()) energy.joules = median(together);
  return energy;
}

}  // namespace

std::vector<StrategyEnergy> EnergyRecorder::measure(
    const std::string& problem, const std::vector<EnergyCandidate>& candidates) {
  const double least = meter_.least_figure_seconds();
  std::vector<std::vector<Piece>> pieces(candidates.size());
  std::vector<bool> failed(candidates.size(), false);
  std::vector<PowerPhase> phases;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (failed[i]) continue;
      Piece piece;
      const double begin = meter_.mark();
      do {
        failed[i] = !candidates[i].call();
        ++piece.calls;
      } while (!failed[i] && meter_.now() - begin < least);
      if (failed[i]) {
        pieces[i].clear();
        continue;
      }
      const double end = meter_.now();
      piece.figures = meter_.since(begin);
      if (round == 0) phases.push_back({candidates[i].strategy, begin, end});
      pieces[i].push_back(std::move(piece));
    }
    if (round == 0) keep_trace(problem, phases);
  }
  const auto sum = power::domains_of_the_sum(meter_.sensors());
  std::vector<StrategyEnergy> energies;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    energies.push_back(energy_of(candidates[i].strategy, pieces[i], sum));
  return energies;
}

void EnergyRecorder::keep_trace(const std::string& problem, std::vector<PowerPhase> phases) {
  if (phases.empty()) return;
  const double start = phases.front().begin, end = phases.back().end;
  PowerTrace trace{problem, std::move(phases), {}};
  for (PowerPhase& phase : trace.phases) {
    phase.begin -= start;
    phase.end -= start;
  }
  for (const power::DomainSensor& s : meter_.sensors()) {
    PowerLine line{power::name_of(s.domain), {}};
    for (const power::WattsOverTime& w : meter_.watts(s.domain, start, end))
      line.watts.push_back({(w.begin + w.end) / 2 - start, w.watts});
    if (!line.watts.empty()) trace.lines.push_back(std::move(line));
  }
  if (!trace.lines.empty()) traces_.push_back(std::move(trace));
}

std::vector<EnergySource> EnergyRecorder::sources() const {
  std::vector<EnergySource> sources;
  for (const auto& [domain, sensor, reason] : meter_.sensors())
    sources.push_back({power::name_of(domain), sensor ? sensor->info().source : "",
                       sensor ? power::resolution(sensor->info()) : "", reason});
  return sources;
}

std::string EnergyRecorder::sum() const {
  return power::names_of(power::domains_of_the_sum(meter_.sensors()));
}

}  // namespace duoblas
