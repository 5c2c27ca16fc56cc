// Every candidate, kernel by kernel in the space's order, each side alone too; then the best twenty
// again. Its journal is a recording that other strategies can be
// compared on (simulation/replay.hpp).
#pragma once

#include "tuner/search/walking_strategy.hpp"

namespace duoblas {

class Exhaustive : public WalkingStrategy {
 public:
  using WalkingStrategy::WalkingStrategy;

 protected:
  Walk<void> walk() override;

 private:
  Walk<void> measure_best_again();
};

}  // namespace duoblas
