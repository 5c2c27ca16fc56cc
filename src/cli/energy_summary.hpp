// The energy of each strategy, as tuning measured it.
#pragma once

#include <iosfwd>

#include "profile/profile.hpp"

namespace duoblas::cli {

/// A row per point that was tuned for energy: joules of each strategy, and which is the best by the
/// goal. Nothing where there is none.
void print_energy_summary(const Profile& profile, std::ostream& out);

}  // namespace duoblas::cli
