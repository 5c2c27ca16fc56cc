#include "api/dropin_opening.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "cpu/fork_state.hpp"
#include "gpu/signals_blocked.hpp"

namespace duoblas {
namespace {

enum class Stage { not_started, opening, open };
constinit std::atomic<Stage> stage{Stage::not_started};

struct Opening {
  Engine& engine;
  void (*opened)(Engine&);
};

thread_local bool opens_here = false;

void* open_device(void* argument) {
  opens_here = true;
  const Opening* opening = static_cast<Opening*>(argument);
  {
    const ActiveWork work;  // a child would have half a driver
    try {
      opening->engine.machine();
      opening->opened(opening->engine);
    } catch (...) {
      // Short memory: the CPU goes on, and so does every call that finds no device.
    }
  }
  delete opening;
  stage.store(Stage::open, std::memory_order_release);
  stage.notify_all();
  return nullptr;
}

// A driver's static objects must not be destroyed while it starts. Nobody opens it in a child, and
// a driver that ends the process while it starts waits for itself.
void wait_until_opened() {
  if (fork_generation() == 0 && !is_other_process() && !opens_here) stage.wait(Stage::opening);
}

// exit() runs handlers in the reverse order of their registration, and so a driver's, which is
// being loaded, before ours. But first of all it destroys the variables of the calling thread,
// which is the main thread as a rule; those of other threads end at any time.
struct WaitsAtExit {
  ~WaitsAtExit() {
    if (armed && ::gettid() == ::getpid()) wait_until_opened();
  }
  bool armed = false;
};
thread_local WaitsAtExit at_exit;

bool start(Opening* opening) {
  const SignalsBlocked for_new_threads;
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, open_device, opening) == 0;
  if (started) pthread_detach(thread);
  return started;
}

}  // namespace

bool opened_in_background(Engine& engine, void (*opened)(Engine&)) noexcept {
  if (stage.load(std::memory_order_acquire) == Stage::open) return true;
  at_exit.armed = true;
  Stage first = Stage::not_started;
  if (!stage.compare_exchange_strong(first, Stage::opening)) return false;
  auto* opening = new (std::nothrow) Opening{engine, opened};
  if (opening != nullptr && std::atexit(wait_until_opened) == 0 && start(opening)) return false;
  delete opening;  // no thread can be had now; perhaps at a later call
  stage.store(Stage::not_started);
  stage.notify_all();
  return false;
}

}  // namespace duoblas
