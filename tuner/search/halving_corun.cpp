// Halving, phase 2: the kernels that survived with the CPU side at work.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "tuner/kernel_front.hpp"
#include "tuner/search/halving.hpp"

namespace duoblas {
namespace {

// The part of the budget after which co-running ends and the final comparison begins.
constexpr double corun_part = 0.9;
constexpr int corun_rounds = 3;
// Calls that a kernel of the front takes until its share is found: five shares.
constexpr double corun_calls_per_kernel = 5 * corun_rounds;
constexpr double least_front = 2, most_front = 8;
// Kernels of the dropped half stay if they are this close to the best: 3 samples do not decide.
constexpr double as_good = 1.03;
// A CPU configuration that is slower alone may be better beside a GPU, but not by more than this.
constexpr double hopeless_cpu = 1.35;

}  // namespace

Walk<void> Halving::corun_front() {
  const double left = corun_part * task().budget_seconds - spent();
  const double size = left / 2 / (corun_calls_per_kernel * std::max(call_seconds(), 1e-9));
  std::vector<Candidate> contenders;
  for (const int kernel :
       front(static_cast<std::size_t>(std::clamp(size, least_front, most_front)))) {
    Candidate pair{kernel, sharing_, best_cpu(), 0};
    pair.gpu_parts = std::min(model_of(pair).best_share(), space().parts);
    contenders.push_back(pair);
  }
  co_await walk_valleys(std::move(contenders));
}

std::vector<int> Halving::front(std::size_t size) const {
  std::vector<std::pair<double, int>> sorted;
  for (const auto& [kernel, cost] : costs_alone()) sorted.emplace_back(cost, kernel);
  std::ranges::sort(sorted);
  std::vector<RankedKernel> ranked;
  for (const auto& [cost, kernel] : sorted)
    ranked.push_back({&space().kernels[static_cast<std::size_t>(kernel)], cost});
  std::vector<int> kernels;
  for (const std::size_t place : diverse_places(ranked, size))
    kernels.push_back(sorted[place].second);
  return kernels;
}

int Halving::best_cpu() const {
  int best = 0;
  for (int cpu = 1; cpu < static_cast<int>(space().cpus.size()); ++cpu)
    if (seen().score(cpu_trial(cpu)) < seen().score(cpu_trial(best))) best = cpu;
  return best;
}

Walk<void> Halving::walk_valleys(std::vector<Candidate> contenders) {
  while (true) {
    std::vector<Trial> trials;
    bool moving = false;
    for (const Candidate& contender : contenders) {
      const Candidate here = incumbent(contender);
      if (!seen().failed(both_trial(here))) trials.push_back(both_trial(here));
      moving |= !seen().is_known(both_trial(here));
      if (!std::isfinite(score(here))) continue;
      for (const Candidate& challenger : challengers(here)) {
        trials.push_back(both_trial(challenger));
        moving = true;
      }
    }
    const double seconds = corun_rounds * call_seconds() * static_cast<double>(trials.size());
    if (!moving || !may_spend(seconds, corun_part)) co_return;
    co_await run(std::move(trials), corun_rounds);
    contenders = better_half(std::move(contenders));
  }
}

std::vector<Candidate> Halving::challengers(const Candidate& incumbent) const {
  const CallSample here = seen().medians(both_trial(incumbent));
  std::set<int> shares = {incumbent.gpu_parts - 1, incumbent.gpu_parts + 1};
  if (task().goal == Goal::throughput && here.gpu > 0 && here.cpu > 0) {
    // This is only a guess. If copies keep the CPU from starting, the sides do not overlap, and
    // only the neighbouring shares show the way to the minimum.
    shares.insert(model_of(incumbent).best_share());
  }
  std::vector<Candidate> open;
  for (const int share : shares) {
    Candidate challenger = incumbent;
    challenger.gpu_parts = share;
    if (share >= 1 && share <= space().parts && !seen().is_known(both_trial(challenger)))
      open.push_back(challenger);
  }
  return open;
}

double Halving::expected_score(const Candidate& incumbent) const {
  if (task().goal != Goal::throughput) return score(incumbent);
  const ShareModel model = model_of(incumbent);
  if (!(model.gpu_whole > 0) || !(model.cpu_whole > 0)) return score(incumbent);
  return std::min(score(incumbent), model.seconds(model.best_share()));
}

std::vector<Candidate> Halving::better_half(std::vector<Candidate> contenders) const {
  std::vector<std::pair<double, Candidate>> ranked;
  for (const Candidate& contender : contenders) {
    const Candidate here = incumbent(contender);
    if (std::isfinite(score(here))) ranked.emplace_back(expected_score(here), here);
  }
  std::ranges::sort(ranked);
  std::vector<Candidate> kept;
  for (const auto& [expected, candidate] : ranked)
    if (kept.size() < (ranked.size() + 1) / 2 || expected <= as_good * ranked.front().first)
      kept.push_back(candidate);
  return kept;
}

Walk<void> Halving::try_variants() {
  const std::vector<Candidate> ranked = ranking();
  if (ranked.empty()) co_return;
  const Candidate best = ranked.front();
  std::vector<Candidate> variants(1, best);
  for (int sharing = 0; sharing < static_cast<int>(space().sharings.size()); ++sharing) {
    Candidate variant = best;
    variant.sharing = sharing;
    if (variant != best) variants.push_back(variant);
  }
  for (int cpu = 0; cpu < static_cast<int>(space().cpus.size()); ++cpu) {
    Candidate variant = best;
    variant.cpu = cpu;
    const double slower = seen().score(cpu_trial(cpu)) / seen().score(cpu_trial(best.cpu));
    if (variant == best || !(slower <= hopeless_cpu)) continue;
    variant.gpu_parts = model_of(variant).best_share();
    variants.push_back(variant);
  }
  if (variants.size() == 1) co_return;
  co_await walk_valleys(std::move(variants));
  // If another sharing mode or CPU configuration won, it may suit other kernels too.
  const Candidate winner = ranking().front();
  if (winner.sharing == best.sharing && winner.cpu == best.cpu) co_return;
  std::vector<Candidate> contenders(1, winner);
  constexpr std::size_t few = 4;
  for (const Candidate& other : ranked) {
    Candidate contender = {other.kernel, winner.sharing, winner.cpu, winner.gpu_parts};
    const bool known =
        std::ranges::find(contenders, contender.kernel, &Candidate::kernel) != contenders.end();
    if (!known && contenders.size() < few) contenders.push_back(contender);
  }
  co_await walk_valleys(std::move(contenders));
}

}  // namespace duoblas
