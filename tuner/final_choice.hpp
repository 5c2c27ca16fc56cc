// The final comparison for one tuning case: finer shares, a check of the results, and the best few
// beside every one-sided strategy, interleaved.
#pragma once

#include <string>
#include <vector>

#include "tuner/live_evaluator.hpp"
#include "tuner/search/search.hpp"

namespace duoblas {

struct FinalChoice {
  TunedPoint point;
  CpuConfig cpu;  ///< of the co-tuned winner
  /// The best kernels, winner first: what the next tuning case is seeded with.
  std::vector<KernelParams> kernels;
  bool decided = true;  ///< false: the machine was too noisy to tell the winner from the second
};

struct FinalTask {
  Goal goal = Goal::throughput;
  std::string joules_of;
  double seconds = 0;
};

/// `found` is of evaluator.space(). The point's `simple` is the fastest kernel alone with its best
/// share and the first CPU configuration. `hybrid` is another pair only if that was clearly better
/// by the goal in the same interleaved run. So co-tuned is never the worse of the two. \throws
/// DeviceError if no kernel is left.
FinalChoice decide(TuneContext& context, MeasuredProblem& problem, LiveEvaluator& evaluator,
                   const SearchResult& found, const FinalTask& task);

}  // namespace duoblas
