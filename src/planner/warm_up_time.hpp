// What a product that ran beside a program's BLAS says of one that runs alone.
#pragma once

#include <algorithm>

namespace duoblas {

/// Beside sixteen threads that multiply, sgemm of 2048 with an H200 took 8 ms, alone it takes 1.9:
/// copies have to wait for a core.
constexpr double slowed_by_programs_blas = 3;

/// Seconds to expect of a product on the GPU that took `seen` beside the program's BLAS, on a
/// device whose borrowed profile promises `promised`. `seen` is the longest that it may take, and
/// as long as a learner with such a profile's spread takes to be credible.
constexpr double warm_up_seconds(double seen, double promised) {
  return std::min(seen, std::max(promised, seen / slowed_by_programs_blas));
}

}  // namespace duoblas
