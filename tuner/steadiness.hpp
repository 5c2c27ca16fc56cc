// How steady a machine was while it was tuned: what a profile's times are worth later.
#pragma once

#include "profile/profile.hpp"

namespace duoblas {

struct TuneContext;

/// The processor's clock now, mean of its cores in MHz; 0: the system does not say.
double processor_mhz();

/// Notes the clock right after work, when it is that of work.
void note_clock(Steadiness& steadiness, double mhz);

/// Measures the profile's first point again, each side alone, against what it took when it was
/// tuned: hot processors and neighbours make both slower. Goes into the tuning's journal as any
/// measurement. \throws Error where the device is lost.
void measure_drift(TuneContext& context, const Profile& profile, Steadiness& steadiness);

}  // namespace duoblas
