// Adds the processor time of a scope to a sum: what work costs, however busy the machine is.
#pragma once

#include <ctime>

namespace duoblas {

/// Of the calling thread.
class CountedTime {
 public:
  explicit CountedTime(double& seconds) : seconds_(seconds), start_(now()) {}
  ~CountedTime() { seconds_ += now() - start_; }
  CountedTime(const CountedTime&) = delete;
  CountedTime& operator=(const CountedTime&) = delete;

 private:
  static double now() {
    std::timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double& seconds_;
  const double start_;
};

}  // namespace duoblas
