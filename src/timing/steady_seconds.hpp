// A clock that tests replace.
#pragma once

#include <chrono>

namespace duoblas {

/// Seconds since some time before.
using SteadySeconds = double (*)();
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace duoblas
