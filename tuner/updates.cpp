#include "tuner/updates.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "problem/op_letter.hpp"
#include "timing/median.hpp"
#include "tuner/live_evaluator.hpp"

namespace duoblas {
namespace {

// `steps` is k, as in a factorisation with narrow panels. `c_bytes`: larger than most caches.
constexpr std::int64_t steps = 64;
constexpr double c_bytes = 32.0 * (1 << 20);
// Speeds drift: beta == 0 and beta == 1 take turns.
constexpr int turns = 3, rounds = 3;

CallerGemm call(Precision precision, double beta) {
  const double elements = c_bytes / static_cast<double>(element_size(precision));
  const auto n = static_cast<std::int64_t>(std::sqrt(elements)) / 16 * 16;
  CallerGemm call = row_major_call(precision, Op::none, Op::none, n, n, steps);
  call.args.beta = beta;
  return call;
}

// Seconds of the CPU's calls and of the GPU's.
struct Samples {
  std::array<std::vector<double>, 2> of;

  void add(const std::vector<TrialOutcome>& outcomes) {
    for (std::size_t i = 0; i < of.size(); ++i)
      for (const CallSample& sample : outcomes[i].samples)
        if (!outcomes[i].failed && std::isfinite(sample.whole)) of[i].push_back(sample.whole);
  }
  double median_of(std::size_t side) const { return of[side].empty() ? 0 : median(of[side]); }
};

}  // namespace

UpdateTimes measure_updates(TuneContext& context, const Profile& profile, Precision precision) {
  const std::string tuning_case = std::string(1, letter(precision)) + "gemm";
  context.session.new_case();
  context.session.journal().begin_case("updates of " + tuning_case, 0);
  context.session.begin(TunePhase::updates, tuning_case, turns);
  const unsigned seed = context.session.next_seed();
  const MeasuredProblem writing(call(precision, 0), seed), adding(call(precision, 1), seed);
  const GemmProblem& problem = writing.problem();
  const TunedPoint& point = *nearest_point(profile, problem);
  const TunedChoice gpu = adapted_choice(point.gpu, point, problem, context.machine);
  SearchSpace space;
  space.kernels = {gpu.kernel};
  space.sharings = {gpu.sharing};
  space.cpus = {context.machine.cpu_all_for(precision)};
  space.parts = gpu.share.parts;
  LiveEvaluator writes(context, writing, space), adds(context, adding, space);
  Batch batch;
  batch.rounds = rounds;
  batch.trials = {{{0, 0, 0, 0}, Sides::cpu}, {{0, 0, 0, space.parts}, Sides::gpu}};
  Samples written, added;
  for (int turn = 0; turn < turns; ++turn) {
    written.add(writes.measure(batch));
    added.add(adds.measure(batch));
    context.session.step();
  }
  const UpdateTimes times{
      static_cast<double>(problem.m * problem.n) * static_cast<double>(element_size(precision)),
      written.median_of(0), added.median_of(0), written.median_of(1), added.median_of(1)};
  const bool all =
      times.cpu_writes > 0 && times.cpu_adds > 0 && times.gpu_writes > 0 && times.gpu_adds > 0;
  return all ? times : UpdateTimes{};
}

}  // namespace duoblas
