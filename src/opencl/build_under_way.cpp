#include "opencl/build_under_way.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include <CL/cl.h>

#include "opencl/device_error.hpp"
#include "os/process.hpp"

namespace duoblas::cl {
namespace {

// Longer than any build that was seen (4 s), so that a driver that hangs does not hold up exit().
constexpr std::chrono::seconds patience{10};
// Each build registers exit()'s handler once more. Compilers load all they need in the first ones.
constexpr int most_handlers = 64;

struct Builds {
  std::mutex mutex;
  std::condition_variable ended;
  int running = 0, handlers = 0;
  bool ending = false, hang = false;
  std::atomic<int> process{process_id()};
};

// Never destroyed: threads may build during exit().
Builds& builds() {
  static Builds& one = *new Builds;
  return one;
}

thread_local bool builds_here = false;

// exit() destroys the calling thread's variables before it runs any handler, also those that were
// registered by a compiler that is being loaded.
struct EndsBuildsAtExit {
  ~EndsBuildsAtExit() {
    if (armed && is_main_thread()) end_builds();
  }
  bool armed = false;
};
thread_local EndsBuildsAtExit at_exit;

}  // namespace

void let_exit_here_wait_for_builds() noexcept {
  at_exit.armed = true;
}

BuildUnderWay::BuildUnderWay() {
  let_exit_here_wait_for_builds();
  Builds& all = builds();
  {
    const std::lock_guard lock(all.mutex);
    // The builds of a parent's other threads are not in its child.
    if (all.process.exchange(process_id()) != process_id()) all.running = 0;
    if (!all.ending) {
      ++all.running;
      builds_here = true;
      return;
    }
  }
  throw_failed("clBuildProgram", CL_OUT_OF_HOST_MEMORY, "the program ends");
}

BuildUnderWay::~BuildUnderWay() {
  builds_here = false;
  Builds& all = builds();
  const std::lock_guard lock(all.mutex);
  if (all.handlers < most_handlers && std::atexit(end_builds) == 0) ++all.handlers;
  --all.running;
  all.ended.notify_all();
}

void end_builds() noexcept {
  if (builds_here) return;  // the driver itself ends the process
  Builds& all = builds();
  if (all.process != process_id()) return;  // a child that built nothing
  std::unique_lock lock(all.mutex);
  all.ending = true;
  if (!all.hang) all.hang = !all.ended.wait_for(lock, patience, [&] { return all.running == 0; });
}

}  // namespace duoblas::cl
