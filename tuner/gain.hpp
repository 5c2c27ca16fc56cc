// The gain of a tuning over the machine without it.
#pragma once

#include "engine/engine.hpp"
#include "profile/profile.hpp"

namespace duoblas {

struct TuningGain {
  int products = 0;  ///< the number compared; 0: none
  double ratio = 0;  ///< times by the new profile over times as before, geometric mean
};

/// Compares some of the profile's products, in turns and for some seconds: by the new plans, and as
/// the engine does them with its present knowledge. That is its own profile or a borrowed one, and
/// what calls have shown, these calls included. \pre the engine has not adopted the profile.
TuningGain measure_gain(Engine& engine, const Profile& profile);

}  // namespace duoblas
