// The climbed steps as text of at most 100 columns.
#pragma once

#include <iosfwd>
#include <vector>

#include "bench/ladder_climb.hpp"

namespace duoblas {

/// A table of speeds, then each step's explanation and its kernel.
void print_ladder(const std::vector<ClimbedStep>& steps, std::ostream& out);

}  // namespace duoblas
