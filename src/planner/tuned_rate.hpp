// The rate of a device when it was tuned.
#pragma once

#include "problem/precision.hpp"
#include "profile/profile.hpp"

namespace duoblas {

/// Flops per second of the GPU alone in the largest tuned product of this type; 0: none is known.
double tuned_gpu_rate(const Profile& profile, Precision precision);

}  // namespace duoblas
