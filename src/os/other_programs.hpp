// Programs as files, and becoming one.
#pragma once

#include <string>

namespace duoblas {

/// Replaces this process by a program that is looked for in PATH. `program`: its name and its
/// arguments, then null. Returns only where it cannot be started: errno.
int become_program(char** program) noexcept;

/// The kernel gives rights to who runs this program ("set-user-ID", "given capabilities"), which
/// the user of this process has not; empty: it does not.
std::string rights_given_by(const std::string& program);

}  // namespace duoblas
