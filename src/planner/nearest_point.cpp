// The tuned shape that is most similar to a problem.
#include <cmath>
#include <cstdint>

#include "planner/planner.hpp"

namespace duoblas {
namespace {

double log_ratio(std::int64_t x, std::int64_t y) {
  // Extents of 0 count as 1: such products are not planned by shape.
  const auto of = [](std::int64_t v) { return std::log(static_cast<double>(v < 1 ? 1 : v)); };
  return of(x) - of(y);
}

// The squared distance in log m, log n, log k. Not of the volume: a thin shape would then be near a
// cube.
double distance(const TunedPoint& point, const GemmProblem& p) {
  const double m = log_ratio(point.m, p.m);
  const double n = log_ratio(point.n, p.n);
  const double k = log_ratio(point.k, p.k);
  return m * m + n * n + k * k;
}

bool same_op(Op x, Op y, Precision precision) {
  if (is_complex(precision)) return x == y;
  return (x == Op::none) == (y == Op::none);
}

}  // namespace

const TunedPoint* nearest_point(const Profile& profile, const GemmProblem& problem, KernelUse use) {
  const TunedPoint* best = nullptr;
  double best_distance = 0;
  bool best_has_ops = false;
  for (const TunedPoint& point : profile.points) {
    if (point.precision != problem.precision) continue;
    if (use != KernelUse::call && !point.uses.contains(use)) continue;
    const bool has_ops = same_op(point.op_a, problem.op_a, problem.precision) &&
                         same_op(point.op_b, problem.op_b, problem.precision);
    if (best && best_has_ops && !has_ops) continue;
    const double d = distance(point, problem);
    if (!best || (has_ops && !best_has_ops) || d < best_distance) {
      best = &point;
      best_distance = d;
      best_has_ops = has_ops;
    }
  }
  return best;
}

}  // namespace duoblas
