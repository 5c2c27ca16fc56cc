// Processor time of the calling thread: what work costs, however busy the machine is.
#pragma once

#include <ctime>

namespace duoblas {

class ThreadClock {
 public:
  ThreadClock() : start_(now()) {}
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    std::timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double start_;
};

}  // namespace duoblas
