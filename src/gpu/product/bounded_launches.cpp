#include "gpu/product/bounded_launches.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "kernel_space/kernel_defaults.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// Operands of parts start where kernels read 16 bytes at a time, if those of the whole product do.
LaunchUnits units_of(const KernelVariant& variant, const GemmProblem& problem, int compute_units) {
  const auto quad = static_cast<std::int64_t>(16 / element_size(problem.precision));
  LaunchUnits units;
  units.rows = std::lcm(row_tile(variant.params), quad);
  // With n compiled in there are no other columns.
  units.columns = variant.n > 0 ? problem.n : std::lcm(col_tile(variant.params), quad);
  units.tiles_at_once = compute_units;
  return units;
}

struct Corner {
  std::int64_t row = 0, column = 0;
};

LaunchOperands part_of(const LaunchOperands& whole, const GemmProblem& problem,
                       const KernelVariant& variant, const Corner& at) {
  const std::size_t element = element_size(problem.precision);
  // A packed tile is followed by the next one.
  const auto operand = [&](const BoundOperand& x, std::int64_t packed_depth, bool by_lines,
                           std::int64_t first) {
    if (packed_depth > 0) return shifted(x, 0, first * packed_depth, element);
    return by_lines ? shifted(x, first, 0, element) : shifted(x, 0, first, element);
  };
  const std::int64_t depth_a = packs_a(variant) ? packed_depth_a(variant.params, problem.k) : 0;
  // A pitch is the depth of a packed B of which only some rows are used.
  const auto pitch = static_cast<std::int64_t>(whole.b.pitch_bytes / element);
  const std::int64_t depth_b = !packs_b(variant) ? 0
                               : pitch > 0       ? pitch
                                                 : packed_depth_b(variant.params, problem.k);
  return {operand(whole.a, depth_a, problem.op_a == Op::none, at.row),
          operand(whole.b, depth_b, problem.op_b != Op::none, at.column),
          shifted(whole.c, at.row, at.column, element)};
}

// The rate that the kernel is believed to have, and how well it is known.
class Pacing {
 public:
  Pacing(const Workbench& bench, bool may_wait, const GemmProblem& problem,
         const KernelVariant& variant)
      : queue_(bench.queue),
        pace_(*bench.pace),
        kernel_(variant.params),
        precision_(problem.precision),
        rate_(pace_.rate_or_guess(kernel_, precision_)),
        seconds_(pace_.bound()) {
    tries_ = may_wait && !pace_.rate(kernel_, precision_) &&
             launch_seconds(problem, {problem.m, problem.n}, rate_) > seconds_;
    if (!tries_) return;
    constexpr double first = 0.05;
    seconds_ *= first;
    // Excludes the copies that are still running from the kernel's time.
    const cl::Event idle = queue_.mark();
    queue_.flush();
    queue_.wait(idle);
  }

  double rate() const { return rate_; }
  double seconds() const { return seconds_; }

  void launched(const cl::Event& event, const Stopwatch& since, double flops) {
    if (!tries_) return;
    queue_.wait(event);
    const double took = since.seconds(), bound = pace_.bound();
    rate_ = flops / std::max(took, 1e-9);
    // Long enough that the start of a launch does not matter.
    constexpr double telling = 0.125, growth = 4;
    tries_ = took < telling * bound;
    seconds_ = tries_ ? std::min(bound, growth * std::max(took, seconds_)) : bound;
    if (!tries_) pace_.saw(kernel_, precision_, rate_, true);
  }

 private:
  cl::Queue& queue_;
  LaunchPace& pace_;
  const KernelParams& kernel_;
  const Precision precision_;
  double rate_, seconds_;
  bool tries_ = false;
};

}  // namespace

cl::Event submit_bounded(const Workbench& bench, bool may_wait, const GemmProblem& problem,
                         const KernelVariant& variant, const LaunchOperands& operands,
                         const LaunchPart& launch_part) {
  const LaunchUnits units = units_of(variant, problem, bench.device.limits.compute_units);
  Pacing pacing(bench, may_wait, problem, variant);
  cl::Event last;
  GemmProblem part = problem;
  for (Corner at; at.row < problem.m; at.row += part.m) {
    part.m = problem.m - at.row;
    part.n = problem.n;
    part.m = launch_shape(part, units, pacing.rate(), pacing.seconds()).rows;
    LaunchUnits stripe = units;
    stripe.rows = part.m;
    const std::int64_t down = (part.m + units.rows - 1) / units.rows;
    stripe.tiles_at_once = (units.tiles_at_once + down - 1) / down;
    for (at.column = 0; at.column < problem.n; at.column += part.n) {
      part.n = problem.n - at.column;
      part.n = launch_shape(part, stripe, pacing.rate(), pacing.seconds()).columns;
      const Stopwatch since;
      cl::Event event = launch_part(part, part_of(operands, problem, variant, at));
      pacing.launched(event, since, flops(part));
      extend(last, std::move(event));
    }
  }
  return last;
}

}  // namespace duoblas
