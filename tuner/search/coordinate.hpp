// GATLAS's alternating search: one parameter after another over all its values, the others fixed.
#pragma once

#include "tuner/search/axes.hpp"
#include "tuner/search/walking_strategy.hpp"

namespace duoblas {

/// Again until no parameter improves, then from another place drawn at random.
/// Source: GATLAS (C. Jang), "GPU Automatically Tuned Linear Algebra Software".
class Coordinate : public WalkingStrategy {
 public:
  explicit Coordinate(SearchTask task);

 protected:
  Walk<void> walk() override;

 private:
  Walk<void> descend(Candidate from);
  CandidateAxes axes_;
};

}  // namespace duoblas
