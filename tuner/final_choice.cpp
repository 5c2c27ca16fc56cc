#include "tuner/final_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <duoblas/error.hpp>

#include "timing/median.hpp"
#include "tuner/final_comparison.hpp"
#include "tuner/gpu_only_choice.hpp"
#include "tuner/split_search.hpp"
#include "tuner/verify.hpp"

namespace duoblas {
namespace {

constexpr int fine_parts = 64;
constexpr std::size_t most_challengers = 3;
// Places of trials in the final comparison: the CPU alone, on all cores, and the GPU alone.
constexpr std::size_t cpu_place = 0, cpu_all_place = 1, gpu_place = 2;

// Parts of the time; the final comparison takes what is left.
constexpr double alone_part = 0.15;
constexpr double share_part = 0.45;

double finite(double value) {
  return std::isfinite(value) ? value : 0;  // 0 in a profile: not measured
}

class FinalStage {
 public:
  FinalStage(TuneContext& context, MeasuredProblem& problem, LiveEvaluator& evaluator,
             const FinalTask& task)
      : context_(context),
        problem_(problem),
        evaluator_(evaluator),
        coarse_(evaluator.space()),
        fine_(coarse_),
        task_(task),
        end_(context.session.within(task.seconds)),
        alone_end_(context.session.within(alone_part * task.seconds)),
        shares_end_(context.session.within(share_part * task.seconds)) {
    fine_.parts = fine_parts;
    cpu_all_ = static_cast<int>(fine_.cpus.size());
    fine_.cpus.push_back(context.machine.cpu_all_for(problem.problem().precision));
  }

  FinalChoice decide(const SearchResult& found) {
    const std::vector<Candidate> best = best_pairs(found);
    const Candidate alone = fastest_alone(found, best);
    Candidate simple = alone;
    simple.cpu = 0;
    const auto same_pair = [&](const Candidate& c) {
      return c.kernel == simple.kernel && c.sharing == simple.sharing && c.cpu == simple.cpu;
    };
    const auto known = std::ranges::find_if(best, same_pair);
    simple.gpu_parts = known != best.end() ? known->gpu_parts : coarse_share(simple, best);

    evaluator_.use(fine_);
    std::vector<Candidate> simples = with_finer(finer(simple));
    std::vector<Candidate> challengers;
    for (const Candidate& c : best) {
      if (challengers.size() >= most_challengers || same_pair(c)) continue;
      // The best challenger gets a finer share too, so that the simple pair has no advantage.
      for (const Candidate& variant :
           challengers.empty() ? with_finer(finer(c)) : std::vector<Candidate>{finer(c)})
        challengers.push_back(variant.gpu_parts == fine_parts ? whole(variant) : variant);
    }
    for (const Candidate& c : other_sharings(simple, simples, challengers))
      challengers.push_back(c);
    return final_comparison(whole(alone), simples, challengers);
  }

 private:
  // Zero-copy and copies are always compared, even if the search had no time for that.
  std::vector<Candidate> other_sharings(const Candidate& simple,
                                        const std::vector<Candidate>& simples,
                                        const std::vector<Candidate>& challengers) const {
    std::vector<Candidate> others;
    for (int sharing = 0; sharing < static_cast<int>(fine_.sharings.size()); ++sharing) {
      const auto has_it = [&](const Candidate& c) { return c.sharing == sharing; };
      if (std::ranges::any_of(simples, has_it) || std::ranges::any_of(challengers, has_it))
        continue;
      Candidate other = challengers.empty() ? finer(simple) : challengers.front();
      other.sharing = sharing;
      others.push_back(other);
    }
    return others;
  }

  // Each triple of kernel, sharing and CPU configuration at its best coarse share, without kernels
  // that were rejected since.
  std::vector<Candidate> best_pairs(const SearchResult& found) {
    std::vector<Candidate> pairs;
    for (const Ranked& r : found.ranked) {
      const bool taken = std::ranges::any_of(pairs, [&](const Candidate& c) {
        return c.kernel == r.candidate.kernel && c.sharing == r.candidate.sharing &&
               c.cpu == r.candidate.cpu;
      });
      if (pairs.size() > most_challengers) break;
      if (!taken && std::isfinite(r.score) && is_right(r.candidate)) pairs.push_back(r.candidate);
    }
    return pairs;
  }

  Candidate fastest_alone(const SearchResult& found, const std::vector<Candidate>& best) {
    const bool copied = !found.alone.empty() && copies(sharing_of(found.alone.front().candidate));
    std::vector<Candidate> candidates = worth_measuring_again(found.alone, copied);
    // A strategy that measures no kernel alone has none: then the best pairs' kernels are measured.
    if (candidates.empty()) candidates = best;
    if (candidates.empty())
      for (int kernel = 0; kernel < std::min(2, static_cast<int>(coarse_.kernels.size())); ++kernel)
        candidates.push_back({kernel, 0, 0, coarse_.parts});
    if (candidates.size() == 1 && is_right(candidates.front())) return candidates.front();
    GpuOnlyTimes times =
        measure_gpu_only(evaluator_, candidates, copied && task_.goal == Goal::throughput,
                         task_.goal, rounds(Clock::now() < alone_end_ ? 5 : 3));
    while (!times.candidates.empty()) {
      const std::size_t winner = choose_gpu_only(times);
      if (!times.calls[winner].failed && is_right(times.candidates[winner]))
        return times.candidates[winner];
      times.leave_out(winner);
    }
    for (const Ranked& r : found.alone)
      if (std::isfinite(r.score) && is_right(r.candidate)) return r.candidate;
    throw DeviceError("no kernel computes this product on the device");
  }

  // The result of this kernel at this very problem; once per kernel, and not while answers come
  // from the journal, which remembers the verdict.
  bool is_right(const Candidate& candidate) {
    const KernelParams& kernel = coarse_.kernels[static_cast<std::size_t>(candidate.kernel)];
    const GemmProblem& p = problem_.problem();
    const KernelCase tuning_case{p.precision, p.op_a, p.op_b};
    if (const auto verdict = context_.session.journal().verdict(kernel, tuning_case.text()))
      if (verdict->verdict != Verdict::right) return false;
    if (context_.session.journal().replays()) return true;
    if (std::ranges::find(verified_, kernel) != verified_.end()) return true;
    Candidate half = candidate;
    half.gpu_parts = std::max(1, coarse_.parts / 2);
    Plan plan = evaluator_.plan({half, Sides::both});
    if (plan.strategy == Strategy::cpu) plan = evaluator_.plan({half, Sides::gpu});
    problem_.poison_c();
    if (context_.engine.run(p, plan).recovered) evaluator_.lose_device(kernel);
    const double error = is_finite_c(p)
                             ? scaled_error(p, nullptr, rows_to_verify(p, plan.gpu_extent, 1))
                             : std::numeric_limits<double>::infinity();
    if (error < 1) {
      verified_.push_back(kernel);
      return true;
    }
    context_.kernels.reject(kernel, tuning_case,
                            "wrong result: scaled error " + std::to_string(error));
    return false;
  }

  // The journal's number of rounds if it answers, because the clock says nothing then.
  int rounds(int now) const { return context_.session.journal().next_rounds().value_or(now); }

  std::vector<double> cost(Candidate candidate, const std::vector<int>& shares) {
    Batch batch;
    batch.rounds = rounds(Clock::now() < shares_end_ ? 3 : 2);
    for (const int gpu_parts : shares) {
      candidate.gpu_parts = gpu_parts;
      batch.trials.push_back({candidate, Sides::both});
    }
    std::vector<double> costs;
    for (const TrialOutcome& outcome : evaluator_.measure(batch))
      costs.push_back(score(outcome.samples, task_.goal));
    return costs;
  }

  int coarse_share(const Candidate& pair, const std::vector<Candidate>& best) {
    const int start = best.empty() ? coarse_.parts / 2 : best.front().gpu_parts;
    return search_split({1, coarse_.parts}, start, 1,
                        [&](const std::vector<int>& shares) { return cost(pair, shares); })
        .gpu_parts;
  }

  Candidate finer(Candidate candidate) const {
    candidate.gpu_parts *= fine_parts / coarse_.parts;
    return candidate;
  }

  SharingMode sharing_of(const Candidate& c) const {
    return coarse_.sharings[static_cast<std::size_t>(c.sharing)];
  }

  // The CPU has nothing to do, so its configuration does not matter.
  static Candidate whole(Candidate candidate) {
    candidate.gpu_parts = fine_parts;
    candidate.cpu = 0;
    return candidate;
  }

  // The pair, and the pair with the best finer share around its own if that is another.
  std::vector<Candidate> with_finer(const Candidate& pair) {
    const int step = fine_parts / coarse_.parts;
    const int high = std::min(fine_parts, pair.gpu_parts + step - 1);
    const SplitRange range{std::max(1, pair.gpu_parts - step + 1), high};
    const SplitFound found =
        search_split(range, pair.gpu_parts, 2,
                     [&](const std::vector<int>& shares) { return cost(pair, shares); });
    Candidate other = pair;
    other.gpu_parts = found.gpu_parts;
    return other == pair ? std::vector<Candidate>{pair} : std::vector<Candidate>{pair, other};
  }

  FinalChoice final_comparison(const Candidate& gpu, const std::vector<Candidate>& simples,
                               const std::vector<Candidate>& challengers) {
    FinalComparison all(evaluator_, task_.goal);
    Candidate cpu = gpu, cpu_all = gpu;
    cpu_all.cpu = cpu_all_;
    all.trials = {{cpu, Sides::cpu}, {cpu_all, Sides::cpu}, {gpu, Sides::gpu}};
    for (const std::vector<Candidate>& pairs : {simples, challengers})
      for (const Candidate& c : pairs)
        if (c != gpu && std::ranges::find(all.trials, both_trial(c)) == all.trials.end())
          all.trials.push_back(both_trial(c));
    const auto time_is_up = [&] {
      return !context_.session.journal().goes_on(FinalComparison::rounds_at_once,
                                                 Clock::now() < end_);
    };
    const FinalSides sides = sides_around(all.trials, gpu_place);
    all.run_rounds(sides, time_is_up);
    FinalVerdict verdict = decide_final(all.timings, sides);
    std::size_t alone = gpu_place;
    // The winner may leave nothing to the CPU, and be another kernel than the one that was best
    // alone before. It had more rounds here. So it is the best alone, and `simple` too.
    if (all.trials[verdict.winner].candidate.gpu_parts == fine_parts)
      alone = verdict.simple = verdict.winner;

    FinalChoice decision;
    decision.decided = is_decided(all.timings, sides);
    decision.point = point(all, verdict, alone);
    const Candidate& winner = all.trials[verdict.winner].candidate;
    decision.cpu = fine_.cpus[static_cast<std::size_t>(winner.cpu)];
    for (const std::size_t i : {verdict.winner, alone, gpu_place})
      remember(decision.kernels, all.trials[i].candidate);
    for (const Candidate& c : challengers) remember(decision.kernels, c);
    return decision;
  }

  void remember(std::vector<KernelParams>& kernels, const Candidate& c) const {
    const KernelParams& kernel = fine_.kernels[static_cast<std::size_t>(c.kernel)];
    if (std::ranges::find(kernels, kernel) == kernels.end()) kernels.push_back(kernel);
  }

  static double seconds(const FinalComparison& all, std::size_t i) {
    return finite(score(all.samples[i], Goal::throughput));
  }

  static double joules(const FinalComparison& all, std::size_t i) {
    return finite(score(all.samples[i], Goal::energy));
  }

  TunedChoice choice(const FinalComparison& all, std::size_t i) const {
    const Candidate& c = all.trials[i].candidate;
    TunedChoice choice;
    choice.kernel = fine_.kernels[static_cast<std::size_t>(c.kernel)];
    choice.sharing = fine_.sharings[static_cast<std::size_t>(c.sharing)];
    choice.share = {c.gpu_parts, fine_parts};
    const int ratio = fine_parts / coarse_.parts;
    if (c.gpu_parts % ratio == 0) choice.share = {c.gpu_parts / ratio, coarse_.parts};
    choice.seconds = seconds(all, i);
    choice.joules = joules(all, i);
    return choice;
  }

  TunedPoint point(const FinalComparison& all, const FinalVerdict& verdict,
                   std::size_t alone) const {
    const GemmProblem& p = problem_.problem();
    TunedPoint point;
    point.precision = p.precision;
    point.op_a = p.op_a;
    point.op_b = p.op_b;
    point.m = p.m;
    point.n = p.n;
    point.k = p.k;
    point.goal = task_.goal;
    point.joules_of = task_.joules_of;
    point.cpu_seconds = seconds(all, cpu_place);
    point.cpu_joules = joules(all, cpu_place);
    point.cpu_all_seconds = seconds(all, cpu_all_place);
    point.cpu_all_joules = joules(all, cpu_all_place);
    point.gpu = choice(all, alone);
    point.simple = choice(all, verdict.simple);
    point.hybrid = choice(all, verdict.winner);
    std::vector<double> gpu_side, cpu_side;
    for (const CallSample& s : all.samples[verdict.winner]) {
      gpu_side.push_back(s.gpu);
      cpu_side.push_back(s.cpu);
    }
    const Timing& won = all.timings[verdict.winner];
    if (gpu_side.empty()) return point;
    point.gpu_side_seconds = median(std::move(gpu_side));
    point.cpu_side_seconds = median(std::move(cpu_side));
    point.noise = (won.q3 - won.q1) / won.median;
    return point;
  }

  TuneContext& context_;
  MeasuredProblem& problem_;
  LiveEvaluator& evaluator_;
  SearchSpace coarse_;
  SearchSpace fine_;
  const FinalTask& task_;
  int cpu_all_ = 0;
  Clock::time_point end_;
  Clock::time_point alone_end_;
  Clock::time_point shares_end_;
  std::vector<KernelParams> verified_;
};

}  // namespace

FinalChoice decide(TuneContext& context, MeasuredProblem& problem, LiveEvaluator& evaluator,
                   const SearchResult& found, const FinalTask& task) {
  return FinalStage(context, problem, evaluator, task).decide(found);
}

}  // namespace duoblas
