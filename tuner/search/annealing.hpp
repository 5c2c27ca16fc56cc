// Simulated annealing: worse steps are accepted too, less and less often.
#pragma once

#include "tuner/search/axes.hpp"
#include "tuner/search/walking_strategy.hpp"

namespace duoblas {

/// A step goes to the next value of one parameter. The temperature is a relative difference of
/// scores, and falls with the part of the budget that is spent.
/// Source: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by Simulated Annealing",
/// Science 220, 1983.
class Annealing : public WalkingStrategy {
 public:
  explicit Annealing(SearchTask task);

 protected:
  Walk<void> walk() override;

 private:
  Candidate random_step(const Candidate& from);
  CandidateAxes axes_;
};

}  // namespace duoblas
