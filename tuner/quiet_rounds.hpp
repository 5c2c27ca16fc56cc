// Rounds of samples, of which those beside other programs' work are made again.
#pragma once

#include <functional>

#include "tuner/quiet.hpp"

namespace duoblas {

/// Whoever samples.
struct RoundCalls {
  std::function<void(int round)> sample;
  std::function<void()> keep;     ///< the samples so far count
  std::function<void()> go_back;  ///< those since the last keep() do not
};

struct RoundsMade {
  double beside = 0;  ///< processors that others had at the most in rounds that count
  double waited = 0;  ///< seconds
};

/// Makes so many rounds that count. Where `to_the_end` is set, none counts before it is known
/// whether others worked meanwhile: a few rounds of short calls end before the system's ticks tell.
RoundsMade make_rounds(Quiet& quiet, int rounds, bool to_the_end, const RoundCalls& calls);

}  // namespace duoblas
