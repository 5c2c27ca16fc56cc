#include "tuner/use_kernels.hpp"

#include <algorithm>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "tuner/final_comparison.hpp"

namespace duoblas {
namespace {

constexpr std::size_t most_kernels = 8;
// By the number of its rounds a journal tells which batch was the next.
constexpr int rounds_at_first = 1, rounds_of_use = 5;
static_assert(rounds_at_first != rounds_of_use &&
              rounds_at_first != FinalComparison::rounds_at_once);
// A first run, a warm-up and the rounds.
constexpr double calls_of_kernel = rounds_of_use + 2;

GemmProblem problem_of(KernelUse use, const TunedPoint& point) {
  GemmProblem problem = duoblas::problem_of(point);
  if (use == KernelUse::update) problem.k = std::min(problem.k, steps_of_tuned_update);
  return problem;
}

// What is built in for the use comes first.
std::vector<KernelParams> kernels_for(KernelUse use, const FinalChoice& decision,
                                      const SearchResult& found, const SearchSpace& space,
                                      const DeviceLimits& limits) {
  std::vector<KernelParams> kernels;
  const auto add = [&](const KernelParams& kernel) {
    const bool is_legal = violated_rule(kernel, decision.point.precision, limits) == nullptr;
    if (is_legal && kernels.size() < most_kernels &&
        std::ranges::find(kernels, kernel) == kernels.end())
      kernels.push_back(kernel);
  };
  add(built_in_kernel(use, problem_of(use, decision.point), limits));
  for (const KernelParams& kernel : decision.kernels) add(kernel);
  for (const Ranked& ranked : found.alone)
    add(space.kernels[static_cast<std::size_t>(ranked.candidate.kernel)]);
  return kernels;
}

// The first, unless another one is faster beyond doubt.
std::optional<std::size_t> fastest(const std::vector<Timing>& timings) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < timings.size(); ++i)
    if (!timings[i].failed && timings[i].median < timings[best].median &&
        (timings[0].failed || clearly_faster(timings[i], timings[0])))
      best = i;
  return timings[best].failed ? std::nullopt : std::optional(best);
}

Timing timing_of(const TrialOutcome& outcome) {
  Timing timing;
  timing.failed = outcome.failed || outcome.samples.empty();
  for (const CallSample& sample : outcome.samples) timing.samples.push_back(sample.whole);
  summarise(timing);
  return timing;
}

}  // namespace

void tune_uses(TuneContext& context, LiveEvaluator& evaluator, const SearchResult& found,
               double seconds, FinalChoice& decision) {
  TunedPoint& point = decision.point;
  if (point.goal != Goal::throughput || !copies(point.gpu.sharing)) return;
  if (is_by_integers(point.gpu.kernel)) return;  // no job of level 3 or LAPACK uses it
  const Journal& journal = context.session.journal();
  SearchSpace space = evaluator.space();
  space.sharings = {point.gpu.sharing};
  for (const KernelUse use : tuned_uses) {
    const Clock::time_point begun = Clock::now();
    const Sides sides = use == KernelUse::update ? Sides::update : Sides::device;
    const auto trial_of = [&](int kernel) { return normal_form({{kernel, 0, 0, 0}, sides}); };
    SearchSpace of_use = space;
    of_use.kernels = kernels_for(use, decision, found, space, context.machine.device);
    if (!journal.goes_on(rounds_at_first, seconds > 0)) continue;
    evaluator.use(of_use);
    const Timing first = timing_of(evaluator.measure({{trial_of(0)}, rounds_at_first}).front());
    const double calls = calls_of_kernel * static_cast<double>(of_use.kernels.size());
    const bool is_too_long = first.failed || calls * first.median > seconds;
    if (!journal.goes_on(rounds_of_use, !is_too_long)) continue;
    Batch batch;
    batch.rounds = rounds_of_use;
    for (int kernel = 0; kernel < static_cast<int>(of_use.kernels.size()); ++kernel)
      batch.trials.push_back(trial_of(kernel));
    std::vector<Timing> timings;
    for (const TrialOutcome& outcome : evaluator.measure(batch))
      timings.push_back(timing_of(outcome));
    if (const auto best = fastest(timings))
      point.uses[use] = {of_use.kernels[*best], timings[*best].median};
    seconds -= std::chrono::duration<double>(Clock::now() - begun).count();
  }
}

}  // namespace duoblas
