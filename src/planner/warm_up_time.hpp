// What the time of a product beside a program's BLAS says about a product that runs alone.
#pragma once

#include <algorithm>

#include "facts/rates.hpp"

namespace duoblas {

/// The seconds to expect of a product on the GPU that took `seen` beside the program's BLAS. The
/// device's borrowed profile promises `promised`. The product takes at most `seen`, and at most as
/// long as a learner with such a profile's spread believes.
constexpr double warm_up_seconds(double seen, double promised) {
  return std::min(seen, std::max(promised, seen / rates::slowed_by_programs_blas));
}

}  // namespace duoblas
