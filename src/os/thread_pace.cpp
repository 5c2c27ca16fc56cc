#include "os/thread_pace.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

namespace duoblas {

void yield_core() noexcept {
  ::sched_yield();
}

void pause_for(double seconds) noexcept {
  const timespec pause{0, static_cast<long>(seconds * 1e9)};
  ::nanosleep(&pause, nullptr);
}

PunctualThread::PunctualThread() noexcept : slack_(::prctl(PR_GET_TIMERSLACK)) {
  if (slack_ > 0) ::prctl(PR_SET_TIMERSLACK, 1ul);
}

PunctualThread::~PunctualThread() {
  if (slack_ > 0) ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack_));
}

// Linux has a number for each thread, where POSIX has one for the process.
void make_this_thread_nicer(int by) noexcept {
  const auto own = static_cast<id_t>(::gettid());
  ::setpriority(PRIO_PROCESS, own, ::getpriority(PRIO_PROCESS, own) + by);
}

}  // namespace duoblas
