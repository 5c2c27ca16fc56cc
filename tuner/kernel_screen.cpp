#include "tuner/kernel_screen.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <duoblas/error.hpp>

#include "plan/kernel_defaults.hpp"
#include "tuner/kernel_front.hpp"
#include "tuner/verify.hpp"

namespace duoblas {
namespace {

// A kernel this many times slower than the best is not worth a run at full size.
constexpr double hopeless = 8;

// More than two tiles of any kernel each way, and a multiple of nothing.
MeasuredProblem uneven_problem(Precision precision, Op op_a, Op op_b, unsigned seed) {
  CallerGemm call = row_major_call(precision, op_a, op_b, 149, 275, 67);
  const bool complex = is_complex(precision);
  call.args.alpha = {-0.7, complex ? 0.3 : 0.0};
  call.args.beta = {1.3, complex ? -0.4 : 0.0};
  return MeasuredProblem(call, seed, 3);
}

void run_alone(TuneContext& context, const GemmProblem& problem, const KernelParams& kernel) {
  // Not through the engine: that would recover on the CPU, and set the device aside.
  context.engine.gpu()->submit(problem, kernel, context.machine.sharing).wait();
}

double seconds_alone(TuneContext& context, const GemmProblem& problem, const KernelParams& kernel) {
  const auto start = Clock::now();
  run_alone(context, problem, kernel);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Screen {
 public:
  Screen(TuneContext& context, Precision precision, Op op_a, Op op_b, const Shape& shape)
      : context_(context),
        uneven_(uneven_problem(precision, op_a, op_b, context.session.next_seed())),
        full_(row_major_call(precision, op_a, op_b, shape.m, shape.n, shape.k),
              context.session.next_seed()),
        uneven_rows_(rows_to_verify(uneven_.problem(), 0, 1)),
        trusted_(full_.c_bytes()) {
    // A kernel is compared with the CPU BLAS everywhere, and that with a wider type in samples.
    full_.poison_c();
    const Plan plan = cpu_plan(context.machine.cpu_all_for(precision), "the reference");
    context.engine.run(full_.problem(), plan);
    const auto rows =
        rows_to_verify(full_.problem(), full_.problem().m / 2, context.session.next_seed());
    if (!(scaled_error(full_.problem(), nullptr, rows) < 1))
      throw CpuBlasError(
          "the CPU BLAS computes wrong results: see \"duoblas devices\", and name "
          "another library with DUOBLAS_CPU_BLAS");
    std::memcpy(trusted_.data(), full_.c(), full_.c_bytes());
  }

  /// The time alone at full size; nothing: too slow to be of interest. \throws DeviceError.
  std::optional<double> seconds_if_right(const KernelParams& kernel) {
    const GemmProblem& p = full_.problem();
    context_.engine.gpu()->prepare(kernel, p.precision, p.op_a, p.op_b);
    uneven_.restore_c();
    run_alone(context_, uneven_.problem(), kernel);
    check(scaled_error(uneven_.problem(), uneven_.old_c(), uneven_rows_), "uneven sizes");

    uneven_.restore_c();
    const double small = seconds_alone(context_, uneven_.problem(), kernel);
    if (small > hopeless * best_small_) return std::nullopt;
    best_small_ = std::min(best_small_, small);

    full_.poison_c();
    run_alone(context_, p, kernel);
    check(scaled_difference(p, trusted_.data(), nullptr), "full size");
    return seconds_alone(context_, p, kernel);
  }

 private:
  static void check(double error, const char* where) {
    if (!(error < 1))
      throw DeviceError(std::string("wrong result at ") + where + ": scaled error " +
                        std::to_string(error));
  }

  TuneContext& context_;
  MeasuredProblem uneven_;
  MeasuredProblem full_;
  std::vector<std::int64_t> uneven_rows_;
  std::vector<char> trusted_;
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
  Screen screen(context, precision, op_a, op_b, shape);
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
