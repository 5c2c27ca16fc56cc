// The numbers of standard input, output and error in a process of our own.
#pragma once

namespace duoblas {

/// Where the caller has closed a standard stream, no file of ours gets its number, so that a line
/// that is printed does not get into it. Reading and writing it fail as before, also in programs
/// that this process becomes.
void occupy_closed_streams() noexcept;

}  // namespace duoblas
