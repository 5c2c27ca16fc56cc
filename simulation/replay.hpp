// An evaluator that replays a recorded search space, to compare and test strategies without a
// device.
#pragma once

#include <map>
#include <random>
#include <vector>

#include "tuner/search/recording.hpp"
#include "tuner/search/search.hpp"

namespace duoblas {

/// The seconds of the first pass: building, and the whole calls of all samples.
double recorded_seconds(const Recording& recording);

/// The median seconds of a candidate in the run where the best were measured again. If it was not
/// in that run: its time in the first pass, scaled by the ratio of the two runs for candidates in
/// both. Infinite if it was never measured.
double true_seconds(const Recording& recording, const Candidate& candidate);

/// The least true_seconds() of all candidates, or of those that were measured again, if any were.
double least_seconds(const Recording& recording);

/// The search of this recording in a part of the recorded seconds.
SearchTask task_for(const Recording& recording, double part_of_recorded, unsigned seed);

/// The time of the answer over that of the best candidate; infinite if there is no answer.
double answer_over_best(const Recording& recording, const SearchResult& result);

/// Charges the recorded time of each sample, and of a kernel's building at its first use. Repeated
/// requests get the next recorded samples, in a circle that starts at a place drawn from `seed`.
/// Trials without a recording fail, and cost only the building.
class Replay : public Evaluator {
 public:
  Replay(const Recording& recording, unsigned seed);
  std::vector<TrialOutcome> measure(const Batch& batch) override;

 private:
  TrialOutcome outcome(const Trial& trial, int rounds);
  double build(int kernel);

  const Recording& recording_;
  std::mt19937 random_;
  std::map<Trial, std::size_t> place_;  ///< of the next sample of each trial
  std::vector<bool> built_;
};

}  // namespace duoblas
