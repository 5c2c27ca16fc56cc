// A search space with what was measured of it: of a journal, or made up.
#pragma once

#include <map>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace duoblas {

/// What was measured of one tuning case.
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

}  // namespace duoblas
