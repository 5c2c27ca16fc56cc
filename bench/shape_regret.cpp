#include "bench/shape_regret.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "planner/planned_partition.hpp"
#include "timing/median.hpp"
#include "tuner/measure.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas {
namespace {

constexpr int coarse_parts = 16;
constexpr int fine_parts = 64;
// Parts of a shape's time: the two sweeps, and the turns that give the floor. The turns that judge
// have the rest.
constexpr double coarse_part = 0.35, fine_part = 0.2, warm_up_part = 0.2;
// Calls of microseconds are repeated until a sample lasts this long.
constexpr double sample_seconds = 200e-6;

constexpr double unknown = std::numeric_limits<double>::infinity();

bool same_call(const Plan& x, const Plan& y) {
  if (x.strategy == Strategy::cpu || y.strategy == Strategy::cpu) return x.strategy == y.strategy;
  return x.kernel == y.kernel && x.sharing == y.sharing && x.axis == y.axis &&
         x.gpu_extent == y.gpu_extent;
}

// Median of x / y within rounds, less 1; infinite where they have no round in common.
double median_excess(const Timing& x, const Timing& y) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(x.samples.size(), y.samples.size()); ++i)
    if (const double ratio = x.samples[i] / y.samples[i]; !std::isnan(ratio))
      ratios.push_back(ratio);
  return ratios.empty() ? unknown : median(std::move(ratios)) - 1;
}

// Of CPU-only, GPU-only and the best split, where there is one: the first two or three.
std::size_t fastest_of(const std::vector<Timing>& timings, std::size_t count) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < count; ++i)
    if (timings[i].median < timings[best].median) best = i;
  return best;
}

class ShapeSweep {
 public:
  ShapeSweep(Engine& engine, const MeasuredProblem& measured, double seconds, unsigned seed)
      : engine_(engine), problem_(measured.problem()), seconds_(seconds), seed_(seed) {
    const PlanMachine& machine = engine.machine();
    const TunedPoint* point = nearest_point(*machine.tuned(problem_.precision).profile, problem_);
    choice_ = point ? adapted_choice(point->hybrid, *point, problem_, machine)
                    : untuned_choice(problem_.precision, machine);
    gpu_ = strategy_plan("gpu", problem_, machine, point);
    cpu_ = cpu_plan(machine.cpu_all_for(problem_.precision), Reason::as_told);
  }

  ShapeRegret measure() {
    std::vector<Share> coarse;
    for (int parts = 1; parts < coarse_parts; ++parts) coarse.push_back({parts, coarse_parts});
    Share best = fastest(coarse, coarse_part);
    std::vector<Share> fine;
    const int middle = best.gpu_parts * fine_parts / coarse_parts;
    for (int parts = middle - 3; best.gpu_parts > 0 && parts <= middle + 3; ++parts)
      if (parts > 0 && parts < fine_parts) fine.push_back({parts, fine_parts});
    if (const Share finer = fastest(fine, fine_part); finer.gpu_parts > 0) best = finer;
    return final_comparison(best);
  }

 private:
  Plan shared_plan(Share share) const {
    TunedChoice choice = choice_;
    choice.share = share;
    return plan_choice(problem_, engine_.machine(), choice, Reason::as_told);
  }

  // The first call of a sample is not timed: programs make calls of one kind in a row, and threads
  // of another candidate's CPU BLAS spin for a while after its last call.
  TimedCandidate candidate(const Plan& plan) const {
    timed_run(engine_, problem_, plan);  // compiles, and loads the CPU BLAS
    const double once = timed_run(engine_, problem_, plan).value_or(sample_seconds);
    const int repeats = std::clamp(static_cast<int>(sample_seconds / once), 1, 100);
    return [this, plan, repeats] {
      timed_run(engine_, problem_, plan);
      return timed_run(engine_, problem_, plan, repeats);
    };
  }

  MeasureRules rules(int least, int most, double part) {
    MeasureRules rules;
    rules.min_rounds = least;
    rules.max_rounds = most;
    rules.deadline = in_seconds(part * seconds_);
    rules.warm_up = false;
    rules.seed = seed_++;
    return rules;
  }

  // The fastest share; one of 0 parts if no share leaves something to both sides.
  Share fastest(const std::vector<Share>& shares, double part) {
    std::vector<TimedCandidate> candidates;
    std::vector<Plan> plans;
    std::vector<Share> swept;
    for (const Share share : shares) {
      const Plan plan = shared_plan(share);
      const auto same = [&](const Plan& other) { return same_call(plan, other); };
      if (plan.strategy != Strategy::hybrid || std::any_of(plans.begin(), plans.end(), same))
        continue;
      plans.push_back(plan);
      swept.push_back(share);
      candidates.push_back(candidate(plan));
    }
    MeasureRules sweep = rules(2, 9, part);
    sweep.drop_beyond = 1.2;
    const auto timings = measure_interleaved(candidates, sweep);
    Share best{0, coarse_parts};
    double least = unknown;
    for (std::size_t i = 0; i < timings.size(); ++i)
      if (timings[i].median < least) {
        least = timings[i].median;
        best = swept[i];
      }
    return best;
  }

  ShapeRegret final_comparison(Share best) {
    ShapeRegret result;
    result.problem = problem_;
    result.swept = best;
    result.plan = engine_.plans().of(problem_);
    std::vector<Plan> plans = {cpu_, gpu_};
    if (best.gpu_parts > 0) plans.push_back(shared_plan(best));
    // A plan that is one of the others is not raced against itself: that would measure noise.
    std::size_t planned = 0;
    while (planned < plans.size() && !same_call(plans[planned], result.plan)) ++planned;
    if (planned == plans.size()) plans.push_back(result.plan);
    std::vector<TimedCandidate> candidates;
    for (const Plan& plan : plans) candidates.push_back(candidate(plan));
    const auto before = measure_interleaved(candidates, rules(5, 51, warm_up_part));
    const auto timings =
        measure_interleaved(candidates, rules(7, 51, 1 - coarse_part - fine_part - warm_up_part));
    const std::size_t pure = best.gpu_parts > 0 ? 3 : 2;
    const std::size_t fastest = fastest_of(timings, pure), guess = fastest_of(before, pure);
    result.cpu = timings[0].median;
    result.gpu = timings[1].median;
    result.hybrid = best.gpu_parts > 0 ? timings[2].median : unknown;
    result.planned = timings[planned].median;
    result.rounds = timings[planned].rounds;
    result.best = std::array{"cpu", "gpu", "hybrid"}[fastest];
    result.regret = planned == fastest ? 0 : median_excess(timings[planned], timings[fastest]);
    result.floor = guess == fastest ? 0 : median_excess(timings[guess], timings[fastest]);
    return result;
  }

  Engine& engine_;
  const GemmProblem& problem_;
  double seconds_;
  unsigned seed_;
  TunedChoice choice_;
  Plan gpu_, cpu_;
};

}  // namespace

ShapeRegret measure_regret(Engine& engine, const MeasuredProblem& measured, double seconds,
                           unsigned seed) {
  return ShapeSweep(engine, measured, seconds, seed).measure();
}

}  // namespace duoblas
