// Work beside a preloaded program's threads. The program must not notice it.
#pragma once

#include <functional>

namespace duoblas {

/// `low`: a thread of its own, which gives way to the program's. Threads that a driver starts there
/// inherit that.
enum class WorkPriority { as_the_program, low };

/// The priority of building and trying kernels. A CPU's driver may start its threads for a trial,
/// and these would compute at low priority from then on.
constexpr WorkPriority building_priority(bool device_is_cpu) {
  return device_is_cpu ? WorkPriority::as_the_program : WorkPriority::low;
}

/// Runs `piece` after all earlier pieces, on one thread, which ends when nothing is left to do.
/// fork() and exit() wait for the running piece; after exit() no other begins. False: there is no
/// thread or memory, too many pieces wait for others, or the program ends. Exceptions of the piece
/// are ignored. \pre fork_generation() == 0.
bool give_background_work(std::function<void()> piece,
                          WorkPriority priority = WorkPriority::as_the_program) noexcept;

/// The same after a pause, during which neither fork() nor exit() waits. False: there is no thread
/// or memory, or the program ends.
bool give_background_work_later(double seconds, std::function<void()> piece,
                                WorkPriority priority = WorkPriority::as_the_program) noexcept;

/// Whether a piece is running now.
bool background_work_is_running() noexcept;
/// How long the present piece has run, in seconds; 0: none is running.
double seconds_of_background_work() noexcept;

/// False once the program ends. The program waits for the running piece, which should then do no
/// more than it must.
bool background_work_is_wanted() noexcept;

/// If this is the main thread: exit() in it waits for the running piece before any handler runs.
/// (give_background_work() calls this.)
void let_exit_here_wait() noexcept;

/// Whether the main thread, from which most programs end, has called that, or will end with
/// end_background_work().
bool main_exit_waits() noexcept;
void note_that_main_exit_waits() noexcept;

/// Waits for the running piece, and begins no other.
void end_background_work() noexcept;

/// exit(), in any thread, waits for the running piece before it runs the handlers that were
/// registered so far. A driver that was just loaded has some. False: there is no memory.
bool let_exit_wait_before_handlers() noexcept;

}  // namespace duoblas
