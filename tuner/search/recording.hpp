// A search space with its measurements, from a journal or simulated.
#pragma once

#include <map>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace duoblas {

/// The measurements of one tuning case.
struct Recording {
  SearchSpace space;
  /// Raw samples by normal_form() of the trial, in the order they were taken.
  std::map<Trial, std::vector<CallSample>> trials;
  /// Seconds to build and verify each kernel; negative (the time that it cost) if it is wrong or
  /// does not build.
  std::vector<double> build_seconds;
  /// The best candidates of the first pass, measured again in one interleaved run. Strategies are
  /// judged by these.
  std::map<Candidate, std::vector<CallSample>> again;
};

}  // namespace duoblas
