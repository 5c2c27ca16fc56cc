#include "tuner/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernel_space/kernel_description.hpp"
#include "problem/op_letter.hpp"
#include "tuner/last_round.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/strategy_plan.hpp"
#include "tuner/timed_rows.hpp"
#include "tuner/tune.hpp"
#include "tuner/verify.hpp"

namespace duoblas {
namespace {

// The plan that calls get once the engine knows their times. Its first plans may only be there to
// measure these.
Plan settled_plan(Engine& engine, const GemmProblem& problem) {
  constexpr int most_calls = 8;
  Plan plan = engine.plans().of(problem);
  for (int calls = 0; plan.reason == Reason::finding_out && calls < most_calls; ++calls) {
    engine.run(problem);
    plan = engine.plans().of(problem);
  }
  return plan;
}

ComparisonRow new_row(const ComparisonProblem& p, const std::string& strategy, const Plan& plan) {
  ComparisonRow row;
  row.precision = p.precision;
  row.ops = ops_text(p.op_a, p.op_b);
  row.layout = p.layout == Layout::row_major ? "row" : "column";
  row.m = p.m;
  row.n = p.n;
  row.k = p.k;
  row.strategy = strategy;
  if (plan.strategy != Strategy::cpu) {
    row.gpu_parts = plan.share.gpu_parts;
    row.parts = plan.share.parts;
    row.kernel = describe(plan.kernel);
  }
  return row;
}

// The whole of C must have been written, and sampled rows must be right.
double verified_error(Engine& engine, MeasuredProblem& measured, const Plan& plan, unsigned seed) {
  measured.poison_c();
  engine.run(measured.problem(), plan);
  const GemmProblem& p = measured.problem();
  if (!is_finite_c(p)) return std::numeric_limits<double>::infinity();
  return scaled_error(p, nullptr,
                      rows_to_verify(p, plan.axis == Axis::rows ? plan.gpu_extent : p.m / 2, seed));
}

Timing timing_of(const ComparisonRow& row) {
  Timing timing;
  timing.failed = row.recovered;
  timing.samples = row.samples;
  summarise(timing);
  return timing;
}

// What was measured in turns with the co-tuned plan, and how it is called.
struct Rival {
  std::string name;
  Timing timing;
};

// The rival that is faster than the co-tuned plan, in words; empty: none is.
std::string best_rival(const Timing& chosen, const std::vector<Rival>& rivals) {
  double least = chosen.median;
  std::string text;
  for (const Rival& rival : rivals) {
    if (rival.timing.median >= least || !beats_choice(rival.timing, chosen)) continue;
    least = rival.timing.median;
    const double gained = 100 * (1 - least / chosen.median);
    text = rival.name + " takes " + std::to_string(std::lround(gained)) + " % less time";
  }
  return text;
}

// One side alone, of the same run as the co-tuned plan.
std::vector<Rival> sides_of(const std::vector<ComparisonRow>& rows, const ComparisonRow& hybrid) {
  std::vector<Rival> rivals;
  for (const ComparisonRow& row : rows) {
    const bool is_same =
        row.gpu_parts * hybrid.parts == hybrid.gpu_parts * row.parts && row.kernel == hybrid.kernel;
    if (!is_same && row.samples.size() == hybrid.samples.size())
      rivals.push_back({row.strategy, timing_of(row)});
  }
  return rivals;
}

// A run of their own: beside calls of both sides, those of the GPU alone take some per cent longer.
std::string share_that_beats(Engine& engine, const GemmProblem& problem, const PlanMachine& machine,
                             const TunedPoint& point, const ComparisonOptions& options) {
  std::vector<Rival> rivals;
  std::vector<TimedCandidate> candidates;
  const auto add = [&](const TunedPoint& of) {
    const Plan plan = strategy_plan("hybrid", problem, machine, &of);
    rivals.push_back({std::to_string(plan.share.gpu_parts) + "/" +
                          std::to_string(plan.share.parts) + " on the GPU",
                      {}});
    candidates.push_back([&engine, &problem, plan] { return timed_run(engine, problem, plan); });
  };
  add(point);
  for (const int parts : neighbouring_parts(point.hybrid.share)) {
    TunedPoint neighbour = point;
    neighbour.hybrid.share.gpu_parts = parts;
    add(neighbour);
  }
  if (rivals.size() == 1) return {};
  MeasureRules rules;
  rules.max_rounds = options.rounds;
  rules.deadline = in_seconds(options.seconds_per_problem);
  rules.seed = options.seed;
  const auto timings = measure_interleaved(candidates, rules);
  for (std::size_t i = 0; i < rivals.size(); ++i) rivals[i].timing = timings[i];
  return best_rival(timings.front(), {rivals.begin() + 1, rivals.end()});
}

std::vector<ComparisonRow> compare_one(Engine& engine, const PlanMachine& machine,
                                       const ComparisonProblem& p, const Profile& profile,
                                       const ComparisonOptions& options) {
  CallerGemm call = row_major_call(p.precision, p.op_a, p.op_b, p.m, p.n, p.k);
  call.layout = p.layout;
  MeasuredProblem measured(call, options.seed);
  const GemmProblem& problem = measured.problem();
  const TunedPoint* point = nearest_point(profile, problem);

  std::vector<ComparisonRow> rows;
  std::vector<Plan> plans;
  std::vector<TimedCandidate> candidates;
  for (const std::string& strategy : options.strategies) {
    const Plan plan = strategy == "auto" ? settled_plan(engine, problem)
                                         : strategy_plan(strategy, problem, machine, point);
    if (uses_gpu(strategy) && !machine.has_gpu) continue;
    plans.push_back(plan);
    rows.push_back(new_row(p, strategy, plan));
    rows.back().error = verified_error(engine, measured, plan, options.seed);
    candidates.push_back([&engine, &problem, plan] { return timed_run(engine, problem, plan); });
  }
  time_rows(candidates, options, flops(problem),
            tuning_case_text(p.precision, p.op_a, p.op_b, {p.m, p.n, p.k}), rows);
  const auto hybrid = std::ranges::find(rows, "hybrid", &ComparisonRow::strategy);
  if (hybrid == rows.end()) return rows;
  hybrid->beaten_by = best_rival(timing_of(*hybrid), sides_of(rows, *hybrid));
  if (hybrid->beaten_by.empty() && point != nullptr && options.energy == nullptr)
    hybrid->beaten_by = share_that_beats(engine, problem, machine, *point, options);
  return rows;
}

}  // namespace

std::string ops_text(Op op_a, Op op_b) {
  return {letter(op_a), letter(op_b)};
}

std::vector<ComparisonRow> compare(Engine& engine, const std::vector<ComparisonProblem>& problems,
                                   const Profile& profile, const ComparisonOptions& options) {
  PlanMachine machine = engine.machine();
  std::vector<ComparisonRow> all;
  for (const ComparisonProblem& problem : problems) {
    const auto rows = compare_one(engine, machine, problem, profile, options);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace duoblas
