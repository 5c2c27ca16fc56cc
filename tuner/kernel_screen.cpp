#include "tuner/kernel_screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <duoblas/error.hpp>

#include "plan/kernel_defaults.hpp"
#include "tuner/kernel_front.hpp"
#include "tuner/kernel_verification.hpp"

namespace duoblas {
namespace {

// A kernel this many times slower than the best is not worth a run at full size.
constexpr double hopeless = 8;

// Verifies kernels one after another, and tells which are worth a run at full size.
class Screen {
 public:
  Screen(TuneContext& context, const VerifiedSubject& subject)
      : verification_(context.engine, subject, context.machine.cpu_all_for(subject.precision),
                      context.session.next_seed()),
        sharing_(context.machine.sharing) {}

  /// The time alone at full size; nothing: too slow to be of interest. \throws DeviceError.
  std::optional<double> seconds_if_right(const KernelParams& kernel) {
    const double small = verification_.uneven_seconds(kernel, sharing_);
    if (small > hopeless * best_small_) return std::nullopt;
    best_small_ = std::min(best_small_, small);
    return verification_.full_seconds(kernel, sharing_);
  }

 private:
  KernelVerification verification_;
  SharingMode sharing_;
  double best_small_ = std::numeric_limits<double>::infinity();
};

void sort_by_time(std::vector<ScreenedKernel>& kernels) {
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto& x, const auto& y) { return x.seconds < y.seconds; });
}

}  // namespace

std::vector<ScreenedKernel> verified_kernels(TuneContext& context, Precision precision, Op op_a,
                                             Op op_b, const Shape& shape, int max_kernels,
                                             Clock::time_point deadline) {
  auto candidates = kernel_candidates(precision, op_a, op_b, context.machine.device);
  if (candidates.size() > static_cast<std::size_t>(max_kernels))
    candidates.resize(static_cast<std::size_t>(max_kernels));
  context.session.begin("kernels", subject_text(precision, op_a, op_b, shape),
                        static_cast<int>(candidates.size()));
  Screen screen(context, {precision, op_a, op_b, shape});
  std::vector<ScreenedKernel> right;
  for (const KernelParams& kernel : candidates) {
    if (right.size() >= 2 && Clock::now() >= deadline) break;
    try {
      if (const auto seconds = screen.seconds_if_right(kernel))
        right.push_back({canonical(kernel), *seconds});
    } catch (const DeviceError& e) {
      context.session.listener().rejected(describe(kernel), e.what());
    }
    context.session.step();
  }
  sort_by_time(right);
  return right;
}

Plan alone_plan(const TuneContext& context, const GemmProblem& problem,
                const KernelParams& kernel) {
  TunedChoice choice;
  choice.kernel = kernel;
  choice.sharing = context.machine.sharing;
  choice.share = {16, 16};
  return plan_choice(problem, context.machine, choice, "screening");
}

std::vector<ScreenedKernel> ranked_alone(TuneContext& context, const MeasuredProblem& problem,
                                         const std::vector<ScreenedKernel>& kernels,
                                         std::size_t limit, Clock::time_point deadline) {
  std::vector<ScreenedKernel> ranked(
      kernels.begin(),
      kernels.begin() + static_cast<std::ptrdiff_t>(std::min(limit, kernels.size())));
  std::vector<Contestant> contestants;
  for (const ScreenedKernel& kernel : ranked)
    contestants.push_back(
        [&context, &problem, plan = alone_plan(context, problem.problem(), kernel.kernel)] {
          return timed_run(context.engine, problem.problem(), plan);
        });
  MeasureRules rules;
  rules.min_rounds = 2;
  rules.max_rounds = 9;
  rules.deadline = deadline;
  rules.drop_beyond = 1.3;
  rules.seed = context.session.next_seed();
  const std::vector<Timing> timings = measure_interleaved(contestants, rules);
  for (std::size_t i = 0; i < ranked.size(); ++i) ranked[i].seconds = timings[i].median;
  std::erase_if(ranked, [](const ScreenedKernel& k) { return !std::isfinite(k.seconds); });
  sort_by_time(ranked);
  return ranked;
}

std::vector<ScreenedKernel> diverse_front(const std::vector<ScreenedKernel>& ranked,
                                          std::size_t size) {
  std::vector<RankedKernel> by_speed;
  for (const ScreenedKernel& k : ranked) by_speed.push_back({&k.kernel, k.seconds});
  std::vector<ScreenedKernel> front;
  for (const std::size_t place : diverse_places(by_speed, size)) front.push_back(ranked[place]);
  return front;
}

}  // namespace duoblas
