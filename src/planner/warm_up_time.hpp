// What the time of a product beside a program's BLAS says about a product that runs alone.
#pragma once

#include <algorithm>

namespace duoblas {

/// Beside sixteen threads that multiply, sgemm of 2048 with an H200 took 8 ms; alone it takes 1.9
/// ms. Copies have to wait for a core.
constexpr double slowed_by_programs_blas = 3;

/// The seconds to expect of a product on the GPU that took `seen` beside the program's BLAS. The
/// device's borrowed profile promises `promised`. The product takes at most `seen`, and at most as
/// long as a learner with such a profile's spread believes.
constexpr double warm_up_seconds(double seen, double promised) {
  return std::min(seen, std::max(promised, seen / slowed_by_programs_blas));
}

}  // namespace duoblas
