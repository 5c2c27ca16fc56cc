#include "tuner/co_tune.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/duel.hpp"
#include "tuner/split_search.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas {
namespace {

constexpr int coarse_parts = 16;
constexpr int fine_parts = 64;
constexpr std::size_t widest_front = 6;
// What one split search costs: about 8 shares and as many repetitions of the incumbent, 3 rounds.
constexpr double runs_per_search = 40;

constexpr double long_call_seconds = 10e-3;

// Parts of a shape's time; the rest is for the first timings and for finishing what is under way.
constexpr double search_part = 0.5;
constexpr double refine_part = 0.15;
constexpr double duel_part = 0.2;

struct Pair {
  TunedChoice choice;
  bool simple = false;  ///< of the kernel that is best alone
};

class CoTuning {
 public:
  CoTuning(TuneContext& context, const MeasuredProblem& problem)
      : context_(context), problem_(problem.problem()) {}

  TunedPoint tune(const std::vector<ScreenedKernel>& ranked, double seconds) {
    const std::string subject = subject_text(problem_.precision, problem_.op_a, problem_.op_b,
                                             {problem_.m, problem_.n, problem_.k});
    measure_cpu(0.1 * seconds);
    const auto front = diverse_front(ranked, front_size(ranked.front().seconds, seconds));
    context_.session.begin("split", subject, static_cast<int>(front.size()));
    std::vector<Pair> pairs;
    for (const ScreenedKernel& kernel : front) {
      pairs.push_back(coarse(kernel, search_part * seconds / static_cast<double>(front.size())));
      context_.session.step(gflops(pairs.back().choice.seconds));
    }
    pairs.front().simple = true;
    add_fine(pairs, refine_part * seconds);
    context_.session.begin("duel", subject, 1);
    TunedPoint point = duel(pairs, ranked.front(), duel_part * seconds);
    context_.session.step(gflops(point.hybrid.seconds));
    return point;
  }

 private:
  double gflops(double seconds) const { return flops(problem_) / seconds * 1e-9; }

  // A share that rounds to nothing is the CPU's: no candidate for a hybrid.
  Contestant hybrid_contestant(const TunedChoice& choice) const {
    const Plan p = plan(choice);
    if (p.strategy == Strategy::cpu) return [] { return std::optional<double>(); };
    return contestant(p);
  }
  Contestant contestant(const Plan& plan) const {
    return [this, plan] { return timed_run(context_.engine, problem_, plan); };
  }
  Plan plan(const TunedChoice& choice) const {
    return plan_choice(problem_, context_.machine, choice, "tuning");
  }

  void measure_cpu(double seconds) {
    MeasureRules rules;
    rules.max_rounds = 7;
    rules.deadline = context_.session.within(seconds);
    rules.seed = context_.session.next_seed();
    const auto timings = measure_interleaved(
        {contestant(cpu_plan(context_.machine.cpu_for(problem_.precision), "tuning"))}, rules);
    cpu_seconds_ = timings[0].median;
  }

  std::size_t front_size(double gpu_seconds, double seconds) const {
    const double hybrid_seconds = 1 / (1 / gpu_seconds + 1 / cpu_seconds_);
    const double affordable = search_part * seconds / (runs_per_search * hybrid_seconds);
    return static_cast<std::size_t>(std::clamp(affordable, 1.0, static_cast<double>(widest_front)));
  }

  SplitCost cost(TunedChoice choice, Clock::time_point deadline) {
    return [this, choice, deadline](const std::vector<int>& gpu_parts) mutable {
      std::vector<Contestant> contestants;
      for (const int parts : gpu_parts) {
        choice.share.gpu_parts = parts;
        contestants.push_back(hybrid_contestant(choice));
      }
      MeasureRules rules;
      rules.max_rounds = 7;
      rules.deadline = std::min(deadline, context_.session.within(0.15));
      // Long calls warm themselves up, and cost too much to be made for nothing.
      rules.warm_up = cpu_seconds_ < long_call_seconds;
      rules.seed = context_.session.next_seed();
      std::vector<double> seconds;
      for (const Timing& timing : measure_interleaved(contestants, rules))
        seconds.push_back(timing.median);
      return seconds;
    };
  }

  Pair coarse(const ScreenedKernel& kernel, double seconds) {
    TunedChoice choice;
    choice.kernel = kernel.kernel;
    choice.sharing = context_.machine.sharing;
    choice.share.parts = coarse_parts;
    const SplitFound found =
        search_split({1, coarse_parts}, balanced_parts(kernel.seconds, cpu_seconds_, coarse_parts),
                     2, cost(choice, context_.session.within(seconds)));
    choice.share.gpu_parts = found.gpu_parts;
    choice.seconds = found.seconds;
    return {choice, false};
  }

  // The simple pair and the best other one get finer shares, so that neither has the advantage.
  void add_fine(std::vector<Pair>& pairs, double seconds) {
    std::stable_sort(pairs.begin() + 1, pairs.end(), [](const Pair& x, const Pair& y) {
      return x.choice.seconds < y.choice.seconds;
    });
    const std::size_t count = std::min<std::size_t>(2, pairs.size());
    for (std::size_t i = 0; i < count; ++i) {
      Pair fine = pairs[i];
      const int ratio = fine_parts / coarse_parts;
      const int middle = fine.choice.share.gpu_parts * ratio;
      fine.choice.share.parts = fine_parts;
      const SplitRange range{std::max(1, middle - ratio), std::min(fine_parts, middle + ratio)};
      const auto deadline = context_.session.within(seconds / static_cast<double>(count));
      const SplitFound found = search_split(range, middle, 2, cost(fine.choice, deadline));
      fine.choice.share.gpu_parts = found.gpu_parts;
      fine.choice.seconds = found.seconds;
      if (found.gpu_parts != middle) pairs.push_back(fine);
    }
  }

  TunedPoint duel(const std::vector<Pair>& pairs, const ScreenedKernel& alone, double seconds) {
    TunedChoice gpu;
    gpu.kernel = alone.kernel;
    gpu.sharing = context_.machine.sharing;
    gpu.share = {coarse_parts, coarse_parts};
    std::vector<Contestant> contestants = {
        contestant(cpu_plan(context_.machine.cpu_for(problem_.precision), "tuning")),
        contestant(cpu_plan(context_.machine.cpu_all_for(problem_.precision), "tuning")),
        contestant(plan(gpu))};
    DuelSides sides;
    // Simple variants first: those and the one-sided strategies stay to the end.
    for (const bool simple : {true, false})
      for (const Pair& pair : pairs)
        if (pair.simple == simple) {
          (simple ? sides.simple : sides.challengers).push_back(contestants.size());
          contestants.push_back(hybrid_contestant(pair.choice));
          choices_.push_back(pair.choice);
        }
    MeasureRules rules;
    rules.min_rounds = 5;
    rules.max_rounds = 25;
    rules.deadline = context_.session.within(seconds);
    rules.drop_beyond = 1.1;
    rules.keep_first = 3 + sides.simple.size();
    rules.seed = context_.session.next_seed();
    const auto timings = measure_interleaved(contestants, rules);
    const DuelVerdict verdict = decide_duel(timings, sides);

    const auto chosen = [&](std::size_t contestant) {
      TunedChoice choice = choices_[contestant - 3];
      choice.seconds = finite(timings[contestant].median);
      return choice;
    };
    gpu.seconds = finite(timings[2].median);
    TunedPoint point;
    point.precision = problem_.precision;
    point.op_a = problem_.op_a;
    point.op_b = problem_.op_b;
    point.m = problem_.m;
    point.n = problem_.n;
    point.k = problem_.k;
    point.hybrid = chosen(verdict.winner);
    point.simple = chosen(verdict.simple);
    point.gpu = gpu;
    point.cpu_seconds = finite(timings[0].median);
    point.cpu_all_seconds = finite(timings[1].median);
    return point;
  }

  // 0 in a profile: not measured.
  static double finite(double seconds) { return std::isfinite(seconds) ? seconds : 0; }

  TuneContext& context_;
  GemmProblem problem_;
  double cpu_seconds_ = 0;
  std::vector<TunedChoice> choices_;
};

}  // namespace

TunedPoint co_tune(TuneContext& context, const MeasuredProblem& problem,
                   const std::vector<ScreenedKernel>& ranked, double seconds) {
  return CoTuning(context, problem).tune(ranked, seconds);
}

}  // namespace duoblas
