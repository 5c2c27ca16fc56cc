// The user, or the system, asks a program of ours to end.
#pragma once

namespace duoblas {

/// From now on Ctrl-C, `kill` and a closed terminal call this, with the signal's number, as a
/// handler of signals: it may use write_all() and end_at_once(), and little else.
void on_interruption(void (*handler)(int)) noexcept;
/// What a shell takes a program's end by this signal for.
inline constexpr int exit_code_of_signal(int signal) {
  return 128 + signal;
}

}  // namespace duoblas
