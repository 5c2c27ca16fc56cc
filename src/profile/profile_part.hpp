// A profile as one of several processes has the machine: a part of its cores, a turn of its device.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace duoblas {

/// How many times as long each side takes in this process as when it was tuned.
struct Slowness {
  double cpu = 1, gpu = 1;
};

/// The profile with the times that are expected of such sides. What is bound by memory alone
/// (`memory`, gemv) stays: both sides share that in any case.
Profile for_sides(Profile profile, const Slowness& slowness);

/// The number of cores at the end of a key's processor; 0: none.
int cores_in_key(const std::string& cpu);

/// What tells profiles apart: ranks whose numbers are equal make equal plans. 16 hexadecimal
/// digits.
std::string profile_digest(Profile profile);

}  // namespace duoblas
