#include "tuner/held_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "timing/median.hpp"
#include "tuner/measure.hpp"
#include "tuner/split_search.hpp"

namespace duoblas {
namespace {

constexpr int fine_parts = 64, coarse_parts = 16;
constexpr int rounds = 11, search_rounds = 5;
// Neighbours' shares are so much more and less. Near the best split a sixteenth gains too little to
// be told from noise, even where a quarter gains a lot.
constexpr int steps[] = {fine_parts / 16, fine_parts / 8, fine_parts / 4};
constexpr int search_step = fine_parts / 8;
// Places in SearchSpace::cpus.
constexpr int all_cores = 0, cpu_side = 1;
// Of trials that are far behind there are no more samples than this.
constexpr std::size_t few = 2;

template <typename T>
int place_in(std::vector<T>& list, const T& value) {
  const auto found = std::ranges::find(list, value);
  const auto place = static_cast<int>(found - list.begin());
  if (found == list.end()) list.push_back(value);
  return place;
}

class Climb {
 public:
  Climb(Evaluator& evaluator, SearchSpace space, const TunedPoint& point)
      : evaluator_(evaluator), space_(std::move(space)), held_{point, false, 0, 0} {
    plan_ = candidate(point.hybrid);
    gpu_ = candidate(point.gpu);
    simple_ = candidate(point.simple);
  }

  HeldPlan to_the_top(const std::function<bool()>& time_is_up) {
    while (true) {
      measure_around();
      const Candidate best = best_neighbour();
      held_.holds = best == plan_;
      plan_ = best;
      if (held_.holds || time_is_up()) break;
      plan_ = with_share(
          plan_, search_split({1, fine_parts}, plan_.gpu_parts, search_step, [&](const auto& of) {
                   return seconds_at(of);
                 }).gpu_parts);
    }
    take_times();
    return held_;
  }

 private:
  Candidate candidate(const TunedChoice& choice) {
    Candidate c;
    c.kernel = place_in(space_.kernels, choice.kernel);
    c.sharing = place_in(space_.sharings, choice.sharing);
    return with_share(c, choice.share.gpu_parts * fine_parts / choice.share.parts);
  }

  // A CPU without work needs no configuration.
  static Candidate with_share(Candidate c, int gpu_parts) {
    c.gpu_parts = std::clamp(gpu_parts, 1, fine_parts);
    c.cpu = c.gpu_parts == fine_parts ? all_cores : cpu_side;
    return c;
  }

  void measure_around() {
    trials_ = {both_trial(plan_), cpu_trial(all_cores), cpu_trial(cpu_side)};
    const auto add = [&](const Candidate& c) { place_in(trials_, both_trial(c)); };
    add(gpu_);
    add(simple_);
    for (const int by : steps)
      for (const int parts : {plan_.gpu_parts - by, plan_.gpu_parts + by})
        add(with_share(plan_, parts));
    for (int kernel = 0; kernel < std::ssize(space_.kernels); ++kernel) {
      Candidate other = plan_;
      other.kernel = kernel;
      add(other);
    }
    Batch batch;
    batch.rounds = rounds;
    batch.to_the_end = true;
    batch.trials = trials_;
    outcomes_ = evaluator_.measure(batch);
    timings_.assign(trials_.size(), {});
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      timings_[i].failed = outcomes_[i].failed;
      for (const CallSample& s : outcomes_[i].samples) timings_[i].samples.push_back(s.whole);
      summarise(timings_[i]);
    }
  }

  // Of the plan with so many parts on the GPU.
  std::vector<double> seconds_at(const std::vector<int>& parts) {
    Batch batch;
    batch.rounds = search_rounds;
    for (const int of_gpu : parts) batch.trials.push_back(both_trial(with_share(plan_, of_gpu)));
    std::vector<double> seconds;
    for (const TrialOutcome& outcome : evaluator_.measure(batch))
      seconds.push_back(score(outcome.samples, Goal::throughput));
    return seconds;
  }

  Candidate best_neighbour() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < trials_.size(); ++i)
      if (trials_[i].sides == Sides::both && beats_choice(timings_[i], timings_[0]) &&
          timings_[i].median < timings_[best].median)
        best = i;
    return trials_[best].candidate;
  }

  std::size_t place_of(const Trial& trial) const {
    return static_cast<std::size_t>(std::ranges::find(trials_, trial) - trials_.begin());
  }

  // The time of the last batch. Returns it over what it was; 0: there are too few samples for that.
  double take(double& seconds, const Trial& trial) const {
    const std::size_t place = place_of(trial);
    if (timings_[place].failed || timings_[place].rounds == 0) return 0;
    const double before = std::exchange(seconds, timings_[place].median);
    return before > 0 && outcomes_[place].samples.size() > few ? seconds / before : 0;
  }

  void take_times() {
    TunedPoint& point = held_.point;
    held_.cpu = take(point.cpu_all_seconds, cpu_trial(all_cores));
    held_.gpu = take(point.gpu.seconds, both_trial(gpu_));
    take(point.cpu_seconds, cpu_trial(cpu_side));
    take(point.simple.seconds, both_trial(simple_));
    // Of those that are about equal it is the simpler one: no stored time contradicts the plan.
    for (const Candidate& simpler : {simple_, gpu_})
      if (timings_[place_of(both_trial(simpler))].median <=
          timings_[place_of(both_trial(plan_))].median)
        plan_ = simpler;

    const std::size_t place = place_of(both_trial(plan_));
    std::vector<double> gpu_side, cpu_side_seconds;
    for (const CallSample& s : outcomes_[place].samples) {
      gpu_side.push_back(s.gpu);
      cpu_side_seconds.push_back(s.cpu);
    }
    if (gpu_side.empty()) return;
    const Timing& timing = timings_[place];
    point.gpu_side_seconds = median(std::move(gpu_side));
    point.cpu_side_seconds = median(std::move(cpu_side_seconds));
    point.noise = (timing.q3 - timing.q1) / timing.median;
    TunedChoice& hybrid = point.hybrid;
    hybrid.kernel = space_.kernels[static_cast<std::size_t>(plan_.kernel)];
    hybrid.sharing = space_.sharings[static_cast<std::size_t>(plan_.sharing)];
    hybrid.share = {plan_.gpu_parts, fine_parts};
    constexpr int ratio = fine_parts / coarse_parts;
    if (plan_.gpu_parts % ratio == 0) hybrid.share = {plan_.gpu_parts / ratio, coarse_parts};
    hybrid.seconds = timing.median;
    // What has all of C is the best alone, too.
    if (plan_.gpu_parts == fine_parts) point.gpu = point.simple = hybrid;
  }

  Evaluator& evaluator_;
  SearchSpace space_;
  HeldPlan held_;
  Candidate plan_, gpu_, simple_;
  std::vector<Trial> trials_;  ///< of the last batch, the plan first
  std::vector<TrialOutcome> outcomes_;
  std::vector<Timing> timings_;
};

}  // namespace

SearchSpace space_around(const TunedPoint& point, const std::vector<KernelParams>& others,
                         const CpuConfig& side, const CpuConfig& all) {
  SearchSpace space;
  for (const TunedChoice* choice : {&point.hybrid, &point.gpu, &point.simple}) {
    place_in(space.kernels, choice->kernel);
    place_in(space.sharings, choice->sharing);
  }
  for (const KernelParams& kernel : others) place_in(space.kernels, kernel);
  space.cpus = {all, side};
  space.parts = fine_parts;
  return space;
}

HeldPlan held_plan(Evaluator& evaluator, const SearchSpace& space, const TunedPoint& point,
                   const std::function<bool()>& time_is_up) {
  return Climb(evaluator, space, point).to_the_top(time_is_up);
}

double seconds_of_holding(const TunedPoint& point, const SearchSpace& space) {
  // The simple pair, other shares, each kernel, and three of one side, of which there are few
  // samples if they are far behind.
  const double like_it = 1 + 2 * std::size(steps) + static_cast<double>(space.kernels.size());
  double seconds = like_it * rounds * point.hybrid.seconds;
  for (const double alone : {point.gpu.seconds, point.cpu_seconds, point.cpu_all_seconds})
    seconds += std::min(alone * rounds, std::max(alone * few, rounds * point.hybrid.seconds));
  return seconds;
}

}  // namespace duoblas
