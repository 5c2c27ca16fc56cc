// Every candidate, kernel by kernel in the space's order.
#pragma once

#include "tuner/search/walking_strategy.hpp"

namespace duoblas {

class Exhaustive : public WalkingStrategy {
 public:
  using WalkingStrategy::WalkingStrategy;

 protected:
  Walk<void> walk() override;
};

}  // namespace duoblas
