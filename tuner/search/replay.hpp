// An evaluator that plays a recorded search space again: strategies are compared and tested without
// a device.
#pragma once

#include <map>
#include <random>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace duoblas {

/// What was measured of one subject.
struct Recording {
  SearchSpace space;
  /// Raw samples by normal_form() of the trial, in the order they were taken.
  std::map<Trial, std::vector<CallSample>> trials;
  /// Seconds to build and verify each kernel; those that are wrong or did not build are negative
  /// (the time they cost).
  std::vector<double> build_seconds;
  /// The best candidates of the first pass, measured again in one interleaved run: the truth that
  /// strategies are judged by.
  std::map<Candidate, std::vector<CallSample>> again;
};

/// The seconds that the first pass took: building, and every sample's whole call.
double recorded_seconds(const Recording& recording);

/// The median seconds of a candidate, of the run where the best were measured again; if it was not
/// in that, of the first pass, times what those that were in both took more then. Infinite: it was
/// never measured.
double true_seconds(const Recording& recording, const Candidate& candidate);

/// The least true_seconds() of all candidates; of those that were measured again if any were.
double least_seconds(const Recording& recording);

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
