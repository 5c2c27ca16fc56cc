// Candidates drawn without repetition: the baseline of every other search.
#pragma once

#include "tuner/search/walking_strategy.hpp"

namespace duoblas {

class RandomSearch : public WalkingStrategy {
 public:
  using WalkingStrategy::WalkingStrategy;

 protected:
  Walk<void> walk() override;
};

}  // namespace duoblas
