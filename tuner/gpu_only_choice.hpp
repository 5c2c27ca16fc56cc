// Which kernel is the fastest with all of C, where a search has seen several that may be.
#pragma once

#include <vector>

#include "tuner/measure.hpp"
#include "tuner/search/search.hpp"

namespace duoblas {

/// What the device does alone, in turns with the others: whole calls and, where it works on copies,
/// calls with A and B in its memory already.
struct GpuOnlyTimes {
  std::vector<Candidate> candidates;  ///< the first is what the search found best
  std::vector<Timing> calls;
  std::vector<Timing> resident;  ///< empty where nothing is copied

  void leave_out(std::size_t place);
};

/// Those that took hardly longer than the best, which is `alone`'s first. Where copies take longer
/// than kernels (`copied`), whole calls say little, and more of them are kept.
std::vector<Candidate> worth_measuring_again(const std::vector<Ranked>& alone, bool copied);

/// Measures in turns, by `goal`; with A and B on the device too where `copied`.
GpuOnlyTimes measure_gpu_only(Evaluator& evaluator, std::vector<Candidate> candidates, bool copied,
                              Goal goal, int rounds);

/// The place of the best: the first, unless another one's calls are clearly faster; and then one
/// whose calls take as long or hardly longer, while its kernel is faster by far.
/// (Of dgemm nn, n = 4096, calls took an H200 14.6 and 13.2 ms with two kernels; at n = 8192 they
/// had 12.1 and 27.6 TFLOPS.)
std::size_t choose_gpu_only(const GpuOnlyTimes& times);

}  // namespace duoblas
