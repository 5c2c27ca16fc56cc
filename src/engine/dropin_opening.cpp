#include "engine/dropin_opening.hpp"

#include <atomic>
#include <mutex>

#include "engine/background_work.hpp"
#include "os/fork_state.hpp"
#include "os/own_stack.hpp"

namespace duoblas {
namespace {

enum class Stage { not_started, opening, open };
constinit std::atomic<Stage> stage{Stage::not_started};
// Registered once, even if the thread cannot be started several times.
constinit std::atomic<bool> exit_waits{false};

// Who has it opens the device. It is taken before a ForkGuard is made, or by try_to_lock: who waits
// for it inside one waits for a thread that waits for a fork, which waits for that guard.
constinit std::mutex opening;
// A driver's constructor may multiply.
constinit thread_local bool opens_here = false;

// Inside a ForkGuard, for who has `opening`.
void open_device(Engine& engine, void (*opened)(Engine&)) noexcept {
  if (stage.load(std::memory_order_acquire) == Stage::open) return;
  opens_here = true;
  try {
    engine.machine();
    // Objects that the driver registered while it was loaded must not be destroyed while it works.
    let_exit_wait_before_handlers();
    opened(engine);
  } catch (...) {
    // Short memory: the CPU goes on, as in every call that finds no device.
  }
  opens_here = false;
  stage.store(Stage::open, std::memory_order_release);
}

// The guard is made on the caller's thread: inside on_own_stack() it would let a fork pass that has
// begun.
void open_and_wait(Engine& engine, void (*opened)(Engine&)) noexcept {
  const std::lock_guard one(opening);
  const ForkGuard no_fork;
  on_own_stack([&] { open_device(engine, opened); });
}

// In a piece of background work, which has a ForkGuard.
void open_unless_others_do(Engine& engine, void (*opened)(Engine&)) noexcept {
  const std::unique_lock one(opening, std::try_to_lock);
  if (one) open_device(engine, opened);
}

}  // namespace

bool opened_in_background(Engine& engine, void (*opened)(Engine&)) noexcept {
  if (stage.load(std::memory_order_acquire) == Stage::open) return true;
  let_exit_here_wait();
  Stage first = Stage::not_started;
  if (!stage.compare_exchange_strong(first, Stage::opening)) return false;
  if (!main_exit_waits()) {
    // The main thread may end the process as soon as this call has returned, while the driver
    // registers handlers that would then run before ours. So this one call waits.
    open_and_wait(engine, opened);
    return true;
  }
  if (!exit_waits) exit_waits = let_exit_wait_before_handlers();
  const bool starts = exit_waits && give_background_work([&engine, opened] {
                        open_unless_others_do(engine, opened);
                      });
  if (!starts) stage.store(Stage::not_started);  // perhaps at a later call
  return false;
}

void open_at_once(Engine& engine, void (*opened)(Engine&)) noexcept {
  if (stage.load(std::memory_order_acquire) == Stage::open || opens_here) return;
  let_exit_here_wait();
  open_and_wait(engine, opened);
}

}  // namespace duoblas
