// This process: its number, its user, its machine.
#pragma once

#include <string>

namespace duoblas {

/// A system call: another one in a child of fork().
int process_id() noexcept;
int parent_process_id() noexcept;
/// Whether there is a process of that number that has not ended; true, too, if that is not known.
bool is_running(int process);
/// Whether the calling thread is the one that the process began with.
bool is_main_thread() noexcept;

/// The program's name, without its folder.
std::string program_name();

/// In whose name files are opened.
unsigned effective_user() noexcept;
unsigned effective_group() noexcept;
inline constexpr unsigned root_user = 0;

/// It has rights that the user who started it has not (set-user-ID and its like): the environment
/// is that user's, and not to be believed.
bool has_others_rights() noexcept;

/// The machine's name; empty if it is not known.
std::string host_name();

/// Ends the process at once: no handler of exit() runs. For handlers of signals, too.
[[noreturn]] void end_at_once(int exit_code) noexcept;

}  // namespace duoblas
