// The end of a tuning: do its choices still hold? And so, how reliable is its profile?
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/held_plan.hpp"
#include "tuner/measure.hpp"

namespace duoblas {

struct TuneContext;

/// The processor's present clock in MHz, the mean of its cores; 0: the system does not report it.
double processor_mhz();

/// Notes the clock directly after work, when it is still that of work.
void note_clock(Steadiness& steadiness, double mhz);

/// Places of the points on which most depends: of each element type the first and the largest.
std::vector<std::size_t> main_points(const Profile& profile);

/// The GPU's parts with a sixteenth of all less or more, where both sides still have some.
std::vector<int> neighbouring_parts(const Share& share);

/// The point's held_plan(), with `others` among its kernels, by a batch in the journal. Nothing:
/// there is no time for it until `end`. \throws Error if the device is lost.
std::optional<HeldPlan> measured_again(TuneContext& context, const TunedPoint& point,
                                       const std::vector<KernelParams>& others,
                                       Clock::time_point end);

/// What was seen of a tuning that makes its profile doubtful.
struct Doubts {
  double others = 0;                  ///< processors that other programs had at the most
  int processors = 0;                 ///< of how many
  std::size_t beside = 0;             ///< cases whose last tuning was beside them
  std::vector<std::string> not_held;  ///< products whose plans lost until the time was up
};

/// Why the profile may not hold, Profile::longest_note bytes at most; empty: no doubt. Times that
/// changed are no reason: a plan that still wins is right.
std::string doubt_text(const Doubts& doubts, std::size_t shapes);

}  // namespace duoblas
