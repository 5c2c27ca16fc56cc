// Work beside a preloaded program's threads, which that program must not notice.
#pragma once

#include <functional>

namespace duoblas {

/// Has `piece` done after those that were given before, on a thread that ends where there is
/// nothing left to do. A fork waits for the piece under way; so does exit(), after which no other
/// begins. False: there is no thread or memory, too many pieces wait, or the program ends. What it
/// throws is of no matter. \pre fork_generation() == 0.
bool give_background_work(std::function<void()> piece) noexcept;

/// The same after a pause, which neither a fork nor exit() waits for. False: there is no thread or
/// memory, or the program ends.
bool give_background_work_later(double seconds, std::function<void()> piece) noexcept;

/// Whether a piece is being done now.
bool background_work_is_under_way() noexcept;
/// For how many seconds; 0: none is.
double seconds_of_background_work() noexcept;

/// False once the program ends, which waits for the piece under way: what of it can be left undone
/// should be.
bool background_work_is_wanted() noexcept;

/// exit() in this thread waits before it runs any handler, where this is the main thread. (It is
/// done with for who gives work.)
void let_exit_here_wait() noexcept;

/// Whether that was done in the main thread, from which programs end as a rule.
bool main_exit_waits() noexcept;

/// exit() waits before it runs the handlers that were registered so far, in any thread: a driver
/// that was just loaded has some. False: there is no memory.
bool let_exit_wait_before_handlers() noexcept;

}  // namespace duoblas
