#include <algorithm>

#include "plan/profile.hpp"

namespace duoblas {
namespace {

bool same_subject(const TunedPoint& x, const TunedPoint& y) {
  return x.precision == y.precision && x.op_a == y.op_a && x.op_b == y.op_b && x.m == y.m &&
         x.n == y.n && x.k == y.k;
}

}  // namespace

Profile merged(const Profile& older, const Profile& newer) {
  Profile result = newer;
  for (const TunedPoint& point : older.points) {
    const bool again = std::any_of(newer.points.begin(), newer.points.end(),
                                   [&](const TunedPoint& p) { return same_subject(p, point); });
    if (!again) result.points.push_back(point);
  }
  for (std::size_t i = 0; i < std::size(result.crossover_flops); ++i) {
    if (result.crossover_flops[i] == 0) result.crossover_flops[i] = older.crossover_flops[i];
  }
  return result;
}

}  // namespace duoblas
