// What adding to C costs, beside writing it.
#pragma once

#include "tuner/session.hpp"

namespace duoblas {

/// Measures a product of few steps, whose C of 32 MiB is most of its memory, with beta == 0 and
/// with beta == 1 in turns, by every core's CPU BLAS and by the GPU alone with the kernel of the
/// nearest point of `profile`, which has one of this precision. Nothing where a side
/// failed. \throws Error where the device is lost.
UpdateTimes measure_updates(TuneContext& context, const Profile& profile, Precision precision);

}  // namespace duoblas
