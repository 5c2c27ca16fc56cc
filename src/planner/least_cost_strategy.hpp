// Which strategy cost least at a tuned point, by what it was tuned for.
#pragma once

#include "profile/profile.hpp"

namespace duoblas {

/// cpu (on all cores), gpu or hybrid; the simpler one if two cost the same. A strategy that was not
/// measured is never chosen.
Strategy least_cost_strategy(const TunedPoint& point);

}  // namespace duoblas
