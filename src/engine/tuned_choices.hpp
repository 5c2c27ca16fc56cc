// Gives a device the kernels of routines that memory bounds that a profile has.
#pragma once

#include "gpu/kernel_choice.hpp"
#include "profile/tuned_kernels.hpp"

namespace duoblas {

/// Those that `tuned` has not are the built-in ones from now on.
void prefer_tuned(StreamChoices& choices, const TunedStreams& tuned);

}  // namespace duoblas
