#include "opencl/waiting.hpp"

#include <algorithm>

#include "opencl/device_error.hpp"
#include "os/thread_pace.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas::cl {
namespace {

// On PoCL a blocking wait costs 46 us where polling costs 12. Polling for no longer than a few
// times that difference loses little where the work is long, and no power worth counting.
constexpr double poll_seconds = 100e-6;

// `pause_part`: of the time that was waited already, so that a pause is never much of it.
constexpr double pause_part = 0.01, shortest_pause = 15e-6, longest_pause = 500e-6;

}  // namespace

cl_int status_of(cl_event event) {
  cl_int status = CL_QUEUED;
  check("clGetEventInfo", functions().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                     sizeof status, &status, nullptr));
  return status;
}

void poll_until_ended(cl_event event, WaitDeadline* wait_deadline) {
  const double deadline = wait_deadline == nullptr ? 0 : wait_deadline->seconds();
  const Stopwatch watch;
  if (deadline > 0 && wait_deadline->is_over()) wait_deadline->give_up(0);
  do {
    yield_core();
    if (status_of(event) <= CL_COMPLETE) return;
  } while (watch.seconds() < poll_seconds);
  if (deadline <= 0) return;

  const PunctualThread punctual;
  // A process that was stopped did not wait meanwhile; and where this thread gets no core, the
  // driver's threads may get none either.
  constexpr double most_times_a_pause = 10;
  double waited = 0, looked = watch.seconds();
  while (waited < deadline) {
    const double pause = std::clamp(pause_part * waited, shortest_pause, longest_pause);
    pause_for(pause);
    const double now = watch.seconds();
    waited += std::min(now - looked, most_times_a_pause * pause);
    looked = now;
    if (status_of(event) <= CL_COMPLETE) return;
  }
  wait_deadline->give_up(waited);
}

void WaitDeadline::give_up(double waited) {
  over_.store(true);
  note_hung_driver();
  if (waited == 0)
    throw DeviceHung("the device hangs (DUOBLAS_GPU_DEADLINE), and is not asked again");
  throw DeviceHung("the device did not end its work within " +
                   std::to_string(static_cast<int>(waited + 0.5)) +
                   " s (DUOBLAS_GPU_DEADLINE): it or its driver hangs");
}

}  // namespace duoblas::cl
