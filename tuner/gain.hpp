// What a tuning gained over what the machine would have done without it.
#pragma once

#include "engine/engine.hpp"
#include "profile/profile.hpp"

namespace duoblas {

struct TuningGain {
  int products = 0;  ///< that were compared; 0: none
  double ratio = 0;  ///< times by the new profile over times as before, geometric mean
};

/// Compares, in turns and for some seconds, some of the profile's products by its plans with what
/// the engine does by what it knew before: its own profile or one that stands in, and what calls
/// have shown of it, these ones included. \pre the engine has not adopted the profile.
TuningGain measure_gain(Engine& engine, const Profile& profile);

}  // namespace duoblas
