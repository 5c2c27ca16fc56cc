// The end of a tuning: do its times and choices still hold? And so, how reliable is its profile?
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace duoblas {

struct TuneContext;

/// The processor's present clock in MHz, the mean of its cores; 0: the system does not report it.
double processor_mhz();

/// Notes the clock directly after work, when it is still that of work.
void note_clock(Steadiness& steadiness, double mhz);

/// Measures the profile's first point again, each side alone, and compares with the time when it
/// was tuned: hot processors and neighbours make both slower. It is written to the journal like any
/// measurement. \throws Error if the device is lost.
void measure_drift(TuneContext& context, const Profile& profile, Steadiness& steadiness);

/// Places of the points on which most depends: of each element type the first and the largest.
std::vector<std::size_t> main_points(const Profile& profile);

/// The GPU's parts with a sixteenth of all less or more, where both sides still have some.
std::vector<int> neighbouring_parts(const Share& share);

/// Measures a point's plan in turns with its neighbours: the CPU alone, the GPU alone, a sixteenth
/// more or less on the GPU. \returns the one that beats_choice(), in words; empty: the plan holds.
/// \throws Error if the device is lost.
std::string better_neighbour(TuneContext& context, const TunedPoint& point);

/// What was seen of a tuning that makes its profile doubtful.
struct Doubts {
  double others = 0;                  ///< processors that other programs had at the most
  int processors = 0;                 ///< of how many
  std::size_t beside = 0;             ///< cases whose last tuning was beside them
  std::vector<std::string> not_held;  ///< better_neighbour() of choices made twice
};

/// Why the profile may not hold, Profile::longest_note bytes at most; empty: no doubt. Times that
/// changed by a quarter until the end are doubted, too.
std::string doubt_text(const Doubts& doubts, const Profile& profile);

}  // namespace duoblas
