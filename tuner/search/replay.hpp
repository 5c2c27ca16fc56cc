// An evaluator that plays a recorded search space again: strategies are compared and tested without
// a device.
#pragma once

#include <map>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace duoblas {

/// What was measured of one subject.
struct Recording {
  SearchSpace space;
  std::map<Trial, std::vector<CallSample>> trials;  ///< raw samples, in the order they were taken
  /// Seconds to build and verify each kernel; those that are wrong or did not build are negative
  /// (the time they cost).
  std::vector<double> build_seconds;
  /// The best candidates of the first pass, measured again in one interleaved run: the truth that
  /// strategies are judged by.
  std::map<Candidate, std::vector<CallSample>> again;
};

/// The seconds that recording took.
double recorded_seconds(const Recording& recording);

/// Charges what each sample took, and a kernel's building at its first use. Repeated requests get
/// the next recorded samples, in a circle that starts at a place drawn from `seed`.
class Replay : public Evaluator {
 public:
  Replay(const Recording& recording, unsigned seed);
  std::vector<Outcome> measure(const Batch& batch) override;

 private:
  const Recording& recording_;
  unsigned seed_;
  std::map<Trial, std::size_t> taken_;
  std::vector<bool> built_;
};

}  // namespace duoblas
