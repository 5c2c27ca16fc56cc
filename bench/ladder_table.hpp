// The climbed steps as text of at most 100 columns.
#pragma once

#include <iosfwd>

#include "bench/ladder_climb.hpp"

namespace duoblas {

/// A table of speeds, other libraries' last, then each step's explanation and its kernel.
void print_ladder(const Climbed& climbed, std::ostream& out);

}  // namespace duoblas
