// How a thread waits for what no lock tells it.
#pragma once

namespace duoblas {

/// Lets another thread have this core.
void yield_core() noexcept;
/// Sleeps, less than a second.
void pause_for(double seconds) noexcept;

/// Pauses of this thread end when they should, not up to 50 us later.
class PunctualThread {
 public:
  PunctualThread() noexcept;
  ~PunctualThread();
  PunctualThread(const PunctualThread&) = delete;
  PunctualThread& operator=(const PunctualThread&) = delete;

 private:
  const int slack_;
};

/// The calling thread yields to others of the machine from now on, and those that it starts.
void make_this_thread_nicer(int by) noexcept;

}  // namespace duoblas
