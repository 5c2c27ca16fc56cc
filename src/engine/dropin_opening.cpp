#include "engine/dropin_opening.hpp"

#include <atomic>
#include <mutex>
#include <optional>

#include "engine/background_work.hpp"
#include "os/fork_state.hpp"
#include "os/own_stack.hpp"

namespace duoblas {
namespace {

enum class Stage { not_started, opening, open };
constinit std::atomic<Stage> stage{Stage::not_started};
// Registered once, even if the thread cannot be started several times.
constinit std::atomic<bool> exit_waits{false};

// One thread opens it, and others wait for it.
constinit std::mutex opening;
// A driver's constructor may multiply.
constinit thread_local bool opens_here = false;

enum class Forks { may_pass, wait };

void open_device(Engine& engine, void (*opened)(Engine&), Forks forks) noexcept {
  // Before the guard: for the thread that has the lock, a fork may have to pass.
  const std::lock_guard one(opening);
  if (stage.load(std::memory_order_acquire) == Stage::open) return;
  std::optional<ForkGuard> no_fork;
  if (forks == Forks::wait) no_fork.emplace();
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

}  // namespace

bool opened_in_background(Engine& engine, void (*opened)(Engine&)) noexcept {
  if (stage.load(std::memory_order_acquire) == Stage::open) return true;
  let_exit_here_wait();
  Stage first = Stage::not_started;
  if (!stage.compare_exchange_strong(first, Stage::opening)) return false;
  if (!main_exit_waits()) {
    // The main thread may end the process as soon as this call has returned, while the driver
    // registers handlers that would then run before ours. So this one call waits.
    on_own_stack([&] { open_device(engine, opened, Forks::wait); });
    return true;
  }
  if (!exit_waits) exit_waits = let_exit_wait_before_handlers();
  const bool starts = exit_waits && give_background_work([&engine, opened] {
                        open_device(engine, opened, Forks::may_pass);
                      });
  if (!starts) stage.store(Stage::not_started);  // perhaps at a later call
  return false;
}

void open_at_once(Engine& engine, void (*opened)(Engine&)) noexcept {
  if (stage.load(std::memory_order_acquire) == Stage::open || opens_here) return;
  let_exit_here_wait();
  on_own_stack([&] { open_device(engine, opened, Forks::wait); });
}

}  // namespace duoblas
