// How steady a machine was during its tuning, and so how reliable a profile's times are later.
#pragma once

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

}  // namespace duoblas
