#include "tuner/last_round.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>

#include "tuner/live_evaluator.hpp"

namespace duoblas {

// "cpu MHz		: 2100.000", one line for each hardware thread; ARM's kernels have none.
double processor_mhz() {
  constexpr std::string_view title = "cpu MHz";
  std::ifstream processors("/proc/cpuinfo");
  double sum = 0;
  int count = 0;
  for (std::string line; std::getline(processors, line);) {
    if (!line.starts_with(title)) continue;
    const double mhz =
        std::strtod(line.c_str() + std::min(line.find(':') + 1, line.size()), nullptr);
    if (!(mhz > 0)) continue;
    sum += mhz;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

void note_clock(Steadiness& steadiness, double mhz) {
  if (!(mhz > 0)) return;
  steadiness.most_mhz = std::max(steadiness.most_mhz, mhz);
  steadiness.least_mhz = steadiness.least_mhz > 0 ? std::min(steadiness.least_mhz, mhz) : mhz;
}

void measure_drift(TuneContext& context, const Profile& profile, Steadiness& steadiness) {
  constexpr int rounds = 9;
  const TunedPoint& point = profile.points.front();
  context.session.new_case();
  context.session.journal().begin_case("drift", 0);
  context.session.begin(TunePhase::steadiness, "", 1);
  const MeasuredProblem measured(
      row_major_call(point.precision, point.op_a, point.op_b, point.m, point.n, point.k),
      context.session.next_seed());
  SearchSpace space;
  space.kernels = {point.gpu.kernel};
  space.sharings = {point.gpu.sharing};
  space.cpus = {context.machine.cpu_all_for(point.precision)};
  space.parts = point.gpu.share.parts;
  LiveEvaluator evaluator(context, measured, space);
  Batch batch;
  batch.rounds = rounds;
  batch.trials = {{{0, 0, 0, 0}, Sides::cpu}, {{0, 0, 0, space.parts}, Sides::gpu}};
  const auto outcomes = evaluator.measure(batch);
  const auto now_over = [](const TrialOutcome& outcome, double then) {
    if (outcome.failed || outcome.samples.empty() || !(then > 0)) return 0.0;
    const double ratio = score(outcome.samples, Goal::throughput) / then;
    return std::isfinite(ratio) ? ratio : 0.0;
  };
  steadiness.cpu = now_over(outcomes[0], point.cpu_all_seconds);
  steadiness.gpu = now_over(outcomes[1], point.gpu.seconds);
  context.session.step();
}

std::vector<std::size_t> main_points(const Profile& profile) {
  std::vector<std::size_t> places;
  const auto work = [&](std::size_t i) {
    const TunedPoint& p = profile.points[i];
    return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  };
  for (const Precision precision : all_precisions) {
    std::vector<std::size_t> of_type;
    for (std::size_t i = 0; i < profile.points.size(); ++i)
      if (profile.points[i].precision == precision) of_type.push_back(i);
    if (of_type.empty()) continue;
    places.push_back(of_type.front());
    const std::size_t largest = *std::ranges::max_element(of_type, {}, work);
    if (largest != of_type.front()) places.push_back(largest);
  }
  return places;
}

std::vector<int> neighbouring_parts(const Share& share) {
  const int step = std::max(1, share.parts / 16);
  std::vector<int> neighbours;
  for (const int parts : {share.gpu_parts - step, share.gpu_parts + step})
    if (parts >= 1 && parts < share.parts) neighbours.push_back(parts);
  return neighbours;
}

std::string better_neighbour(TuneContext& context, const TunedPoint& point) {
  constexpr int rounds = 11;
  const std::string text =
      tuning_case_text(point.precision, point.op_a, point.op_b, {point.m, point.n, point.k});
  const std::string title = "held: " + text;
  Journal& journal = context.session.journal();
  // One side is left out after two calls if it is far behind.
  const double needed = 3 * rounds * point.hybrid.seconds +
                        2 * std::min(point.cpu_all_seconds, rounds * point.hybrid.seconds);
  if (journal.replays() ? journal.next_case() != title : needed > context.session.seconds_left())
    return {};
  context.session.new_case();
  journal.begin_case(title, 0);
  context.session.begin(TunePhase::steadiness, text, 1);
  const MeasuredProblem measured(
      row_major_call(point.precision, point.op_a, point.op_b, point.m, point.n, point.k),
      context.session.next_seed());
  const int parts = point.hybrid.share.parts, chosen = point.hybrid.share.gpu_parts;
  SearchSpace space;
  space.kernels = {point.hybrid.kernel, point.gpu.kernel};
  space.sharings = {point.hybrid.sharing, point.gpu.sharing};
  space.cpus = {context.machine.cpu_all_for(point.precision),
                context.machine.cpu_for(point.precision)};
  space.parts = parts;
  LiveEvaluator evaluator(context, measured, space);
  Batch batch;
  batch.rounds = rounds;
  std::vector<std::string> names = {"the choice", "the CPU alone"};
  batch.trials = {{{0, 0, 1, chosen}, Sides::both}, {{0, 0, 0, 0}, Sides::cpu}};
  if (chosen < parts || !(point.hybrid.kernel == point.gpu.kernel)) {
    names.push_back("the GPU alone");
    batch.trials.push_back({{1, 1, 0, parts}, Sides::gpu});
  }
  for (const int share : neighbouring_parts(point.hybrid.share)) {
    names.push_back(std::to_string(share) + "/" + std::to_string(parts));
    batch.trials.push_back({{0, 0, 1, share}, Sides::both});
  }
  std::vector<Timing> timings;
  for (const TrialOutcome& outcome : evaluator.measure(batch)) {
    Timing& timing = timings.emplace_back();
    timing.failed = outcome.failed;
    for (const CallSample& sample : outcome.samples) timing.samples.push_back(sample.whole);
    summarise(timing);
  }
  context.session.step();
  std::size_t best = 0;
  for (std::size_t i = 1; i < timings.size(); ++i)
    if (beats_choice(timings[i], timings[0]) && timings[i].median < timings[best].median) best = i;
  if (best == 0) return {};
  const double gained = 100 * (1 - timings[best].median / timings[0].median);
  return "of " + text + " " + names[best] + " takes " + std::to_string(std::lround(gained)) +
         " % less than " + std::to_string(chosen) + "/" + std::to_string(parts);
}

std::string doubt_text(const Doubts& doubts, const Profile& profile) {
  constexpr double far = 1.25;
  std::vector<std::string> all;
  if (doubts.beside > 0) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << "other programs had up to " << doubts.others
         << " of " << doubts.processors << " processors while " << doubts.beside << " of "
         << profile.points.size() << " shapes were tuned";
    all.push_back(text.str());
  }
  all.insert(all.end(), doubts.not_held.begin(), doubts.not_held.end());
  const auto is_far = [](double drift) { return drift > 0 && std::max(drift, 1 / drift) > far; };
  if (is_far(profile.steadiness.cpu) || is_far(profile.steadiness.gpu))
    all.push_back("at the end the first product took other times than when it was tuned");
  std::string joined;
  for (const std::string& doubt : all) {
    const std::string more = (joined.empty() ? "" : "; ") + doubt;
    if (joined.size() + more.size() <= Profile::longest_note) joined += more;
  }
  return joined;
}

}  // namespace duoblas
