// Parameters in order of importance, each searched as a unimodal function.
#pragma once

#include <vector>

#include "tuner/search/axes.hpp"
#include "tuner/search/walking_strategy.hpp"

namespace duoblas {

/// Along each parameter the search goes downhill with a stride that doubles while that helps, and
/// then back with one that halves. All parameters again until none improves, then from another
/// place drawn at random.
/// Source: C. Jiang, M. Snir, "Automatic Tuning Matrix Multiplication Performance on Graphics
/// Hardware", PACT 2005.
class Phased : public WalkingStrategy {
 public:
  explicit Phased(SearchTask task);

 protected:
  Walk<void> walk() override;

 private:
  /// The minimum along one line, searched from `place` on.
  Walk<int> lowest(std::vector<Candidate> line, int place);
  Walk<bool> is_lower(std::vector<Candidate> line, int place, int than);
  CandidateAxes axes_;
};

}  // namespace duoblas
