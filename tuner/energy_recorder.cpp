#include "tuner/energy_recorder.hpp"

#include <utility>

#include "timing/median.hpp"

namespace duoblas {
namespace {

// One piece of continuous work.
struct Piece {
  power::EnergyFigures figures;
  int calls = 0;
};

DomainFigure domain_energy(power::Domain domain, const std::vector<Piece>& pieces) {
  std::vector<double> joules, mean, peak;
  for (const Piece& piece : pieces) {
    const auto& figure = piece.figures.of(domain).figure;
    if (!piece.figures.long_enough || !figure) continue;
    joules.push_back(figure->joules / piece.calls);
    mean.push_back(figure->mean_watts);
    if (figure->peak_watts) peak.push_back(*figure->peak_watts);
  }
  DomainFigure energy;
  if (joules.empty()) return energy;
  energy.domain = power::name_of(domain);
  energy.joules = median(joules);
  energy.mean_watts = median(mean);
  // A slow sensor gives no peak for some pieces. Then there is none for all of them together.
  if (!peak.empty() && peak.size() == mean.size()) energy.peak_watts = median(peak);
  return energy;
}

std::optional<double> joules_of_call(const std::vector<Piece>& pieces,
                                     const std::vector<power::Domain>& sum) {
  std::vector<double> joules;
  if (sum.empty()) return std::nullopt;
  for (const Piece& piece : pieces) {
    const auto together = power::joules_of(piece.figures, sum);
    if (piece.figures.long_enough && together) joules.push_back(*together / piece.calls);
  }
  if (joules.empty()) return std::nullopt;
  return median(joules);
}

}  // namespace

std::vector<StrategyEnergy> EnergyRecorder::measure(
    const std::string& problem, const std::vector<EnergyCandidate>& candidates) {
  const power::EnergyMeter meter(sampler_);
  const double least = meter.least_figure_seconds();
  std::vector<std::vector<Piece>> pieces(candidates.size());
  std::vector<bool> failed(candidates.size(), false);
  std::vector<PowerPhase> phases;
  for (int round = 0; round < rounds_; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Piece piece;
      if (failed[i]) continue;
      const double begin = meter.mark();
      do {
        failed[i] = !candidates[i].call();
        ++piece.calls;
      } while (!failed[i] && sampler_.now() - begin < least);
      if (failed[i]) continue;
      const double end = sampler_.now();
      piece.figures = meter.since(begin);
      if (round == 0) phases.push_back({candidates[i].strategy, begin, end});
      pieces[i].push_back(std::move(piece));
    }
    if (round == 0) keep_trace(problem, phases);
  }

  const auto sum = power::domains_of_the_sum(sampler_.states());
  std::vector<StrategyEnergy> energies;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    StrategyEnergy energy{candidates[i].strategy, {}, {}};
    if (!failed[i]) {
      for (const power::Domain domain : power::all_domains)
        if (auto found = domain_energy(domain, pieces[i]); !found.domain.empty())
          energy.domains.push_back(std::move(found));
      energy.joules = joules_of_call(pieces[i], sum);
    }
    energies.push_back(std::move(energy));
  }
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
  for (const auto& state : sampler_.states()) {
    if (!state.has_sensor) continue;
    PowerLine line{power::name_of(state.domain), {}};
    for (const auto& w : sampler_.with_trace(
             state.domain, [&](const power::EnergyTrace& t) { return t.watts(start, end); }))
      line.watts.push_back({(w.begin + w.end) / 2 - start, w.watts});
    if (!line.watts.empty()) trace.lines.push_back(std::move(line));
  }
  if (!trace.lines.empty()) traces_.push_back(std::move(trace));
}

std::vector<EnergySource> EnergyRecorder::sources() const {
  std::vector<EnergySource> sources;
  for (const auto& state : sampler_.states()) {
    EnergySource source{power::name_of(state.domain), "", "", state.reason};
    if (state.has_sensor)
      source = {source.domain, state.info.source, power::resolution(state.info), ""};
    sources.push_back(std::move(source));
  }
  return sources;
}

std::string EnergyRecorder::sum() const {
  return power::names_of(power::domains_of_the_sum(sampler_.states()));
}

}  // namespace duoblas
