#include "tuner/last_round.hpp"

#include <algorithm>
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

std::optional<HeldPlan> measured_again(TuneContext& context, const TunedPoint& point,
                                       const std::vector<KernelParams>& others,
                                       Clock::time_point end) {
  const std::string text =
      tuning_case_text(point.precision, point.op_a, point.op_b, {point.m, point.n, point.k});
  const std::string title = "held: " + text;
  Journal& journal = context.session.journal();
  const SearchSpace space = space_around(point, others, context.machine.cpu_for(point.precision),
                                         context.machine.cpu_all_for(point.precision));
  if (journal.replays() ? journal.next_case() != title
                        : in_seconds(seconds_of_holding(point, space)) > end)
    return std::nullopt;
  context.session.new_case();
  journal.begin_case(title, 0);
  context.session.begin(TunePhase::last_round, text, 1);
  const MeasuredProblem measured(
      row_major_call(point.precision, point.op_a, point.op_b, point.m, point.n, point.k),
      context.session.next_seed());
  LiveEvaluator evaluator(context, measured, space);
  const auto time_is_up = [&] {
    return journal.replays() ? !journal.next_rounds() : Clock::now() >= end;
  };
  const HeldPlan held = held_plan(evaluator, space, point, time_is_up);
  context.session.step();
  return held;
}

std::string doubt_text(const Doubts& doubts, std::size_t shapes) {
  std::vector<std::string> all;
  if (doubts.beside > 0) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << "other programs had up to " << doubts.others
         << " of " << doubts.processors << " processors while " << doubts.beside << " of " << shapes
         << " shapes were tuned";
    all.push_back(text.str());
  }
  for (const std::string& product : doubts.not_held)
    all.push_back("the plan of " + product + " lost to its neighbours until the time was up");
  std::string joined;
  for (const std::string& doubt : all) {
    const std::string more = (joined.empty() ? "" : "; ") + doubt;
    if (joined.size() + more.size() <= Profile::longest_note) joined += more;
  }
  return joined;
}

}  // namespace duoblas
