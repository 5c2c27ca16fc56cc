// The final comparison: the best few pairs of kernel and split, interleaved, on whole calls.
#pragma once

#include <vector>

#include "tuner/measure.hpp"

namespace duoblas {

/// Which of the candidates is what. `simple` are variants (other splits, all of C on the GPU) of
/// the kernel that is best alone.
struct FinalSides {
  std::vector<std::size_t> simple;
  std::vector<std::size_t> challengers;
};

struct FinalVerdict {
  std::size_t simple = 0;  ///< the fastest simple variant
  std::size_t winner = 0;  ///< a challenger, only where it is clearly faster; else `simple`
};

/// Decides from timings of one interleaved run. Pure. \pre `simple` is not empty.
FinalVerdict decide_final(const std::vector<Timing>& timings, const FinalSides& sides);

/// Whether more rounds would tell nothing new: the best challenger and the best simple variant are
/// clearly different, or so close that it does not matter.
bool is_decided(const std::vector<Timing>& timings, const FinalSides& sides);

}  // namespace duoblas
