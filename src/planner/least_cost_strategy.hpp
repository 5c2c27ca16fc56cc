// Which strategy cost least at a tuned point, by what it was tuned for.
#pragma once

#include "profile/profile.hpp"

namespace duoblas {

/// cpu (on all cores), gpu or hybrid; of equals the simpler. What was not measured costs too much.
Strategy least_cost_strategy(const TunedPoint& point);

}  // namespace duoblas
