// The summary at the end of a tuning.
#pragma once

#include <iosfwd>
#include <string>

#include "profile/profile.hpp"

namespace duoblas::cli {

/// What won, the strategies compared, and the findings. If there are many products (56 are 7 shapes
/// of 4 op pairs in 2 types), those for which the co-tuned hybrid differs most from the simple one,
/// and means of all: a page of about 40 lines. Everything if `verbose`. Reads only the profile.
void print_tune_summary(const Profile& profile, bool verbose, std::ostream& out);

/// One paragraph in lines of a terminal's usual width, the later ones indented.
void print_wrapped(const std::string& text, std::ostream& out);

/// A row per point that was tuned for energy: joules of each strategy, and which is the best by the
/// goal. Nothing where there is none.
void print_energy_summary(const Profile& profile, std::ostream& out);

}  // namespace duoblas::cli
