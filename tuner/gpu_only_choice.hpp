// Chooses the fastest kernel for all of C among several close ones that a search has found.
#pragma once

#include <vector>

#include "tuner/measure.hpp"
#include "tuner/search/search.hpp"

namespace duoblas {

/// Times of the device alone, the candidates in turns: whole calls and, if the device works on
/// copies, products of what is in its memory.
struct GpuOnlyTimes {
  std::vector<Candidate> candidates;  ///< the search's best comes first
  std::vector<Timing> calls;
  std::vector<Timing> on_device;  ///< empty if nothing is copied

  void leave_out(std::size_t place);
};

/// The candidates that took hardly longer than the best, which is the first of `alone`. If copies
/// take longer than kernels (`copied`), whole calls say little, and more candidates are kept.
std::vector<Candidate> worth_measuring_again(const std::vector<Ranked>& alone, bool copied);

/// Measures in turns, by `goal`; if `copied`, with all operands on the device too.
GpuOnlyTimes measure_gpu_only(Evaluator& evaluator, std::vector<Candidate> candidates, bool copied,
                              Goal goal, int rounds);

/// The index of the best. It is the first, unless another one's calls are clearly faster; then one
/// whose calls take hardly longer, if its kernel is much faster. (For dgemm nn, n = 4096, calls
/// took 14.6 and 13.2 ms with two kernels. At n = 8192 these had 12.1 and 27.6 TFLOPS.)
std::size_t choose_gpu_only(const GpuOnlyTimes& times);

}  // namespace duoblas
