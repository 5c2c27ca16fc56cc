#include "planner/tuned_rate.hpp"

#include "problem/gemm_problem.hpp"

namespace duoblas {

double tuned_gpu_rate(const Profile& profile, Precision precision) {
  double rate = 0, largest = 0;
  for (const TunedPoint& point : profile.points) {
    const double work = flops({.precision = precision, .m = point.m, .n = point.n, .k = point.k});
    if (point.precision != precision || !(point.gpu.seconds > 0) || work <= largest) continue;
    largest = work;
    rate = work / point.gpu.seconds;
  }
  return rate;
}

}  // namespace duoblas
