// The cost of adding to C instead of overwriting it.
#pragma once

#include "tuner/session.hpp"

namespace duoblas {

/// Measures a product with a short k, so that most of its memory is a C of 32 MiB. It runs with
/// beta == 0 and beta == 1 in turns, on the CPU BLAS with all cores, and on the GPU alone with the
/// kernel of the nearest point of `profile`. \pre the profile has one of this precision. Nothing if
/// a side failed. \throws Error if the device is lost.
UpdateTimes measure_updates(TuneContext& context, const Profile& profile, Precision precision);

}  // namespace duoblas
