// Gives a device the profile's kernels for memory-bound routines.
#pragma once

#include "gpu/kernels/kernel_choice.hpp"
#include "profile/tuned_kernels.hpp"

namespace duoblas {

/// Routines without a kernel in `tuned` use the built-in ones from now on.
void prefer_tuned(StreamChoices& choices, const TunedStreams& tuned);

}  // namespace duoblas
