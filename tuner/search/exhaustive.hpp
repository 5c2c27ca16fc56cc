// Measures every candidate, kernel by kernel in the space's order, and each side alone; then the
// best twenty again. Its journal is a recording on which other strategies can be compared
// (simulation/replay.hpp).
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
