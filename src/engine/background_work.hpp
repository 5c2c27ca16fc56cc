// Work beside a preloaded program's threads, which that program must not notice.
#pragma once

#include <functional>

namespace duoblas {

/// Runs `piece` after those that were given before, on one thread, which ends when nothing is left
/// to do. A fork and exit() wait for the piece under way; after exit() no other begins. False:
/// there is no thread or memory, too many pieces wait, or the program ends. Exceptions of the piece
/// are ignored. \pre fork_generation() == 0.
bool give_background_work(std::function<void()> piece) noexcept;

/// The same after a pause, which neither a fork nor exit() waits for. False: there is no thread or
/// memory, or the program ends.
bool give_background_work_later(double seconds, std::function<void()> piece) noexcept;

/// Whether a piece is being done now.
bool background_work_is_under_way() noexcept;
/// For how many seconds; 0: none is.
double seconds_of_background_work() noexcept;

/// False once the program ends. It waits for the piece under way, which should leave undone what it
/// can.
bool background_work_is_wanted() noexcept;

/// If this is the main thread: exit() in it waits for the piece under way before any handler runs.
/// (give_background_work() calls this.)
void let_exit_here_wait() noexcept;

/// Whether the main thread, from which programs usually end, has called that.
bool main_exit_waits() noexcept;

/// exit(), in any thread, waits for the piece under way before it runs the handlers that were
/// registered so far: a driver that was just loaded has some. False: there is no memory.
bool let_exit_wait_before_handlers() noexcept;

}  // namespace duoblas
