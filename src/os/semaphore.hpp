// A counting semaphore. std::counting_semaphore of libstdc++ 12 may leave a thread asleep for ever:
// it looks at the count before it tries, sleeps if the count is still or again the same, and nobody
// wakes it if that was not 0 (GCC's bugs 98033 and 104928). Where the system held a thread up for
// 50 us there, one of three threads that shared one turn hung within 160 to 932 rounds.
#pragma once

#include <semaphore.h>

namespace duoblas {

class Semaphore {
 public:
  explicit Semaphore(int count) { sem_init(&semaphore_, 0, static_cast<unsigned>(count)); }
  ~Semaphore() { sem_destroy(&semaphore_); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  /// Waits for a turn. Callers have a CancellationDisabled, because sem_wait() is a cancellation
  /// point.
  void acquire() {
    while (sem_wait(&semaphore_) != 0) {
      // A signal handler has run.
    }
  }
  void release() { sem_post(&semaphore_); }

 private:
  sem_t semaphore_;
};

}  // namespace duoblas
