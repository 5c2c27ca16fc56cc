#include "planner/lapack_ways.hpp"

#include <cmath>

namespace duoblas {

LapackWays::Kind LapackWays::kind_of(const LapackProblem& p) {
  return {p.routine, p.precision, p.uplo, std::ilogb(flops(p)), p.right_sides > 1};
}

LapackWay LapackWays::choose(const LapackProblem& p, double ours, double programs) {
  const std::lock_guard guard(mutex_);
  auto& [of_program, of_ours] = kinds_[kind_of(p)];
  const auto decided = [&] {
    if (of_ours.is_known()) ours = of_ours.per_flop() * flops(p);
    if (of_program.is_known()) programs = of_program.per_flop() * flops(p);
    if (of_ours.is_known() && of_program.is_known()) return ours < programs;
    return ours < (of_program.is_known() ? worth_a_try : sure_gain) * programs;
  };
  return decided() ? LapackWay::ours : LapackWay::programs;
}

void LapackWays::saw(const LapackProblem& p, LapackWay way, double seconds) {
  const std::lock_guard guard(mutex_);
  kinds_[kind_of(p)][static_cast<std::size_t>(way)].saw(seconds, flops(p));
}

}  // namespace duoblas
