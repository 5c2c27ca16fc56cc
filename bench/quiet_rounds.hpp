// Rounds of calls; those that ran beside a compiler do not count.
#pragma once

#include <chrono>
#include <thread>

#include "engine/background_work.hpp"

namespace duoblas {

/// Calls that asked for nothing are the CPU's while their kernels are built and tried in the
/// background, and slow beside a compiler.
class QuietRounds {
 public:
  /// After a round. Waits until nothing is built any more. False for the first two, in which
  /// libraries are loaded, and where something was built; but twenty in all at most, so that a
  /// device for which builds never end is timed too.
  bool counts() {
    constexpr int first = 2, most = 20;
    bool was_quiet = true;
    for (; background_work_is_running(); was_quiet = false)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const bool is_one = left_out_ >= most || (left_out_ >= first && was_quiet);
    if (!is_one) ++left_out_;
    return is_one;
  }

 private:
  int left_out_ = 0;
};

}  // namespace duoblas
