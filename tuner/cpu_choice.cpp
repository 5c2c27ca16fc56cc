#include "tuner/cpu_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "cpu/core_type.hpp"
#include "cpu/topology.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "timing/median.hpp"
#include "tuner/cpu_configs.hpp"
#include "tuner/live_evaluator.hpp"

namespace duoblas {
namespace {

// The first candidate is what is used without tuning: only a real difference is worth another
// instance.
constexpr double clearly_less = 0.97;

// The least time, not the median. Other programs only ever add to a time, calls of a millisecond
// fit between their turns, and core types differ by factors.
double least(const TrialOutcome& outcome) {
  double least = std::numeric_limits<double>::infinity();
  for (const CallSample& s : outcome.samples) least = std::min(least, s.whole);
  return least;
}

double median_seconds(const TrialOutcome& outcome) {
  std::vector<double> seconds;
  for (const CallSample& s : outcome.samples) seconds.push_back(s.whole);
  return seconds.empty() ? std::numeric_limits<double>::infinity() : median(std::move(seconds));
}

bool core_type_runs_here(const std::string& type) {
  const auto types = candidate_core_types(vector_extensions());
  return type.empty() || std::ranges::any_of(types, [&](const std::string& known) {
           return same_core_type(type, known);
         });
}

// An interrupted tuning takes its core types from the journal. Measured again, a near tie could
// come out otherwise, and the rest of the journal would not match.
std::vector<CpuConfig> core_types(TuneContext& context, const TuneRequest& request) {
  constexpr std::string_view title = core_types_title;
  Journal& journal = context.session.journal();
  std::string text(title);
  for (const CpuConfig& c : request.cpu_configs) text += " " + c.core_type + ",";
  std::vector<CpuConfig> configs = request.cpu_configs;
  if (const auto before = journal.next_case();
      before && *before != text && before->starts_with(title)) {
    configs.clear();
    text = *before;
    const CpuConfig& base = context.engine.machine().cpu_for(Precision::s);
    std::istringstream words(text.substr(title.size()));
    for (std::string word; std::getline(words, word, ',');) {
      CpuConfig config = base;
      config.core_type = word.substr(std::min<std::size_t>(1, word.size()));
      // A core type with instructions that this CPU lacks would crash the process.
      if (core_type_runs_here(config.core_type)) configs.push_back(config);
    }
  }
  journal.begin_case(text, 0);
  return configs;
}

}  // namespace

std::vector<CpuConfig> layouts(const TuneContext& context, const CpuConfig& base) {
  auto configs = cpu_configurations(base, topology(), context.engine.cpu().limits());
  // If a configuration cannot be loaded, another instance would run and be timed in its place.
  const auto missing = [&](const CpuConfig& c) { return !context.engine.cpu().prepare(c); };
  const CpuConfig first = configs.front();
  std::erase_if(configs, missing);
  if (configs.empty()) configs.push_back(first);
  return configs;
}

CpuConfig fastest_cpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                      Precision precision, std::int64_t size) {
  constexpr int rounds = 12;
  const Shape shape{size, size, size};
  const std::string tuning_case =
      "CPU BLAS, " + tuning_case_text(precision, Op::none, Op::none, shape);
  context.session.begin(TunePhase::cpu, tuning_case, static_cast<int>(candidates.size()));
  if (candidates.size() == 1) return candidates.front();
  context.session.journal().begin_case(tuning_case, 0);
  SearchSpace space;
  space.kernels = {default_kernel(precision, context.machine.device)};
  space.sharings = {context.machine.sharing};
  space.cpus = candidates;
  const MeasuredProblem problem(row_major_call(precision, Op::none, Op::none, size, size, size),
                                context.session.next_seed());
  LiveEvaluator evaluator(context, problem, space);
  Batch batch;
  batch.rounds = rounds;
  for (int cpu = 0; cpu < static_cast<int>(candidates.size()); ++cpu)
    batch.trials.push_back({{0, 0, cpu, 0}, Sides::cpu});
  const auto outcomes = evaluator.measure(batch);
  context.session.step(0, static_cast<int>(candidates.size()));
  std::size_t best = 0;
  for (std::size_t i = 1; i < outcomes.size(); ++i)
    if (least(outcomes[i]) < least(outcomes[best]) &&
        least(outcomes[i]) < clearly_less * least(outcomes[0]))
      best = i;
  return candidates[best];
}

CpuConfig fastest_beside_gpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                             Precision precision, const TunedChoice& gpu) {
  constexpr int rounds = 9;
  constexpr int parts = 16;
  // With a large GPU the best share of it is 46/64, of the cube of 1024 59/64 and of larger ones
  // 63/64.
  const Shape shape{1280, 1280, 192};
  const std::string tuning_case =
      "CPU BLAS beside the GPU, " + tuning_case_text(precision, Op::none, Op::none, shape);
  context.session.begin(TunePhase::cpu, tuning_case, static_cast<int>(candidates.size()));
  if (candidates.size() == 1) return candidates.front();
  context.session.journal().begin_case(tuning_case, 0);
  SearchSpace space;
  space.kernels = {gpu.kernel};
  space.sharings = {gpu.sharing};
  space.cpus = candidates;
  space.parts = parts;
  const MeasuredProblem problem(
      row_major_call(precision, Op::none, Op::none, shape.m, shape.n, shape.k),
      context.session.next_seed());
  LiveEvaluator evaluator(context, problem, space);
  Batch batch;
  batch.rounds = rounds;
  for (int cpu = 0; cpu < static_cast<int>(candidates.size()); ++cpu)
    for (const int gpu_parts : {6, 9, 12, 14})
      batch.trials.push_back({{0, 0, cpu, gpu_parts}, Sides::both});
  const auto outcomes = evaluator.measure(batch);
  context.session.step(0, static_cast<int>(candidates.size()));
  std::vector<double> seconds(candidates.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    double& least = seconds[static_cast<std::size_t>(batch.trials[i].candidate.cpu)];
    least = std::min(least, median_seconds(outcomes[i]));
  }
  const auto best = static_cast<std::size_t>(std::ranges::min_element(seconds) - seconds.begin());
  return seconds[best] < clearly_less * seconds.front() ? candidates[best] : candidates.front();
}

void choose_cpus(TuneContext& context, const TuneRequest& request) {
  const std::vector<CpuConfig> types = core_types(context, request);
  for (const Precision precision : request.precisions) {
    const std::size_t i = precision_index(precision);
    if (!types.empty()) {
      const CpuConfig best = fastest_cpu(context, types, precision, 512);
      context.machine.cpu[i] = best;
      context.machine.cpu_all[i].core_type = best.core_type;
      context.machine.cpu_all[i].library = best.library;
    }
    // The baseline is the CPU BLAS at its best on all cores.
    context.machine.cpu_all[i] =
        fastest_cpu(context, layouts(context, context.machine.cpu_all[i]), precision, 1024);
  }
}

}  // namespace duoblas
