#include "engine/reopening.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/background_work.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/fork_state.hpp"

namespace duoblas {

// Outlives its owner if a try was scheduled and has not begun.
struct Reopening::State {
  State(Actions given, const RetryPauses& pauses) : actions(std::move(given)), schedule(pauses) {}

  std::mutex mutex;  // of what is below; held while the device is opened
  Actions actions;   // empty: the owner is gone
  std::mutex counting;
  RetrySchedule schedule;
  std::atomic<bool> away{false}, has_tries{false};

  std::optional<double> next_pause() {
    const std::lock_guard guard(counting);
    has_tries = true;
    return schedule.next_pause();
  }

  static void try_after_pause(const std::shared_ptr<State>& state) {
    const auto pause = state->next_pause();
    const bool given = pause && give_background_work_later(*pause, [state] { try_now(state); });
    if (!given && state->actions.say)
      state->actions.say("the device failed again and again, and is not opened any more");
  }

  static void try_now(const std::shared_ptr<State>& state) {
    const std::lock_guard guard(state->mutex);
    if (!state->actions.try_again) return;
    if (cl::driver_hangs()) return;  // it may hang in any call
    if (!opens(state->actions)) return try_after_pause(state);
    state->away.store(false, std::memory_order_release);  // also if printing fails
    state->actions.say("the device was opened again");
  }

  static bool opens(const Actions& actions) noexcept {
    try {
      return actions.try_again();
    } catch (...) {
      return false;  // short memory, as a rule, which may be over at the next try
    }
  }
};

Reopening::Reopening(Actions actions, const RetryPauses& pauses)
    : state_(std::make_shared<State>(std::move(actions), pauses)) {}

Reopening::~Reopening() {
  const std::lock_guard guard(state_->mutex);
  state_->actions = {};
}

void Reopening::lost() noexcept {
  if (state_->away.exchange(true) || fork_generation() != 0) return;
  // A driver's destructors must not run while it is opened.
  static const bool exit_waits = let_exit_wait_before_handlers();
  if (!exit_waits) return;
  try {
    State::try_after_pause(state_);
  } catch (const std::exception&) {
    // Short memory: the CPU goes on.
  }
}

void Reopening::worked() noexcept {
  if (!state_->has_tries.load(std::memory_order_relaxed)) return;
  const std::lock_guard guard(state_->counting);
  state_->schedule.worked();
  state_->has_tries = state_->schedule.tries() > 0;
}

bool Reopening::is_unavailable() const noexcept {
  return state_->away.load(std::memory_order_acquire);
}

}  // namespace duoblas
