#include "tuner/measure.hpp"

#include <algorithm>
#include <cmath>

#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/order_of_round.hpp"

namespace duoblas {

void summarise(Timing& timing) {
  std::vector<double> numbers;
  for (const double s : timing.samples)
    if (!std::isnan(s)) numbers.push_back(s);
  timing.rounds = static_cast<int>(numbers.size());
  if (timing.failed || numbers.empty()) return;
  timing.q1 = quantile(numbers, 0.25);
  timing.median = median(numbers);
  timing.q3 = quantile(numbers, 0.75);
}

Clock::time_point in_seconds(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::vector<Timing> measure_interleaved(const std::vector<TimedCandidate>& candidates,
                                        const MeasureRules& rules) {
  constexpr double absent = std::numeric_limits<double>::quiet_NaN();
  std::vector<Timing> timings(candidates.size());
  std::vector<bool> runs(candidates.size(), true);
  const auto run = [&](std::size_t i) {
    const std::optional<double> seconds = candidates[i]();
    if (!seconds) {
      timings[i].failed = true;
      runs[i] = false;
    }
    return seconds;
  };
  if (rules.warm_up)
    for (std::size_t i = 0; i < candidates.size(); ++i) run(i);

  std::vector<std::size_t> in;
  for (int round = 0; round < rules.max_rounds; ++round) {
    if (round >= rules.min_rounds && Clock::now() >= rules.deadline) break;
    for (Timing& timing : timings) timing.samples.push_back(absent);
    in.clear();
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (runs[i]) in.push_back(i);
    for (const std::size_t place : order_of_round(in.size(), round, rules.seed))
      if (const auto seconds = run(in[place])) timings[in[place]].samples.back() = *seconds;
    if (round + 1 < rules.min_rounds) continue;
    double best = std::numeric_limits<double>::infinity();
    for (Timing& timing : timings) {
      summarise(timing);
      best = std::min(best, timing.median);
    }
    for (std::size_t i = 0; i < timings.size(); ++i)
      if (timings[i].median > rules.drop_beyond * best) runs[i] = false;
  }
  for (Timing& timing : timings) summarise(timing);
  return timings;
}

bool clearly_faster(const Timing& x, const Timing& y, double margin, double part) {
  if (x.failed || x.rounds == 0) return false;
  if (y.failed || y.rounds == 0) return true;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(x.samples.size(), y.samples.size()); ++i)
    if (!std::isnan(x.samples[i]) && !std::isnan(y.samples[i]))
      ratios.push_back(x.samples[i] / y.samples[i]);
  if (ratios.empty()) return x.median < (1 - margin) * y.median;
  const auto wins = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r < 1; });
  return median(ratios) < 1 - margin &&
         static_cast<double>(wins) >= part * static_cast<double>(ratios.size());
}

bool beats_choice(const Timing& other, const Timing& choice) {
  constexpr double margin = 0.05, part = 0.8;
  constexpr int rounds = 9;
  return std::min(other.rounds, choice.rounds) >= rounds &&
         clearly_faster(other, choice, margin, part);
}

namespace {

// `shortage`: whether short memory or another resource is all that failed, if anything did.
std::optional<CallSample> tried_call(Engine& engine, const GemmProblem& problem, const Plan& plan,
                                     int repeats, bool& shortage) {
  CallSample mean;
  bool as_told = true;
  const Stopwatch watch;
  for (int i = 0; i < repeats; ++i) {
    const Outcome report = engine.run(problem, plan);
    // A device that failed before is set aside, and the CPU does everything without a word.
    const bool did = !report.recovered && report.plan.strategy == plan.strategy;
    as_told &= did;
    shortage &= did || report.was_shortage;
    mean.gpu += report.times.gpu / repeats;
    mean.cpu += report.times.cpu / repeats;
  }
  const double taken = watch.seconds();
  if (!as_told) return std::nullopt;
  mean.whole = taken / repeats;
  return mean;
}

}  // namespace

std::optional<CallSample> sampled_call(Engine& engine, const GemmProblem& problem, const Plan& plan,
                                       int repeats) {
  bool shortage = true;
  if (const auto sample = tried_call(engine, problem, plan, repeats, shortage)) return sample;
  // Another program may have had the memory for a moment: that is no kernel's fault.
  if (!shortage) return std::nullopt;
  return tried_call(engine, problem, plan, repeats, shortage);
}

std::optional<double> timed_run(Engine& engine, const GemmProblem& problem, const Plan& plan,
                                int repeats) {
  const auto sample = sampled_call(engine, problem, plan, repeats);
  if (!sample) return std::nullopt;
  return sample->whole;
}

}  // namespace duoblas
