// Adds the processor time of a scope to a sum.
#pragma once

#include "timing/thread_clock.hpp"

namespace duoblas {

class CountedTime {
 public:
  explicit CountedTime(double& seconds) : seconds_(seconds) {}
  ~CountedTime() { seconds_ += clock_.seconds(); }
  CountedTime(const CountedTime&) = delete;
  CountedTime& operator=(const CountedTime&) = delete;

 private:
  double& seconds_;
  const ThreadClock clock_;
};

}  // namespace duoblas
