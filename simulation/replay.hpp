// An evaluator that plays a recorded search space again: strategies are compared and tested without
// a device.
#pragma once

#include <map>
#include <random>
#include <vector>

#include "tuner/search/recording.hpp"
#include "tuner/search/search.hpp"

namespace duoblas {

/// The seconds that the first pass took: building, and every sample's whole call.
double recorded_seconds(const Recording& recording);

/// The median seconds of a candidate, of the run where the best were measured again; if it was not
/// in that, of the first pass, times what those that were in both took more then. Infinite: it was
/// never measured.
double true_seconds(const Recording& recording, const Candidate& candidate);

/// The least true_seconds() of all candidates; of those that were measured again if any were.
double least_seconds(const Recording& recording);

/// The search of this recording with a part of the seconds that it took.
SearchTask task_for(const Recording& recording, double part_of_recorded, unsigned seed);

/// Time of the answer over that of the best candidate; infinite: there is no answer.
double answer_over_best(const Recording& recording, const SearchResult& result);

/// Charges what each sample took, and a kernel's building at its first use. Repeated requests get
/// the next recorded samples, in a circle that starts at a place drawn from `seed`. What was not
/// recorded fails, at no cost but that of building.
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
