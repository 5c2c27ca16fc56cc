// Elapsed seconds by the steady clock.
#pragma once

#include <chrono>
#include <utility>

namespace duoblas {

/// Runs from when it is made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// How long one call of `work` takes.
template <typename Work>
double seconds_of(Work&& work) {
  const Stopwatch watch;
  std::forward<Work>(work)();
  return watch.seconds();
}

}  // namespace duoblas
