// Candidates drawn without repetition: what every other search has to beat.
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
