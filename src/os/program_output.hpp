// Runs another program that turns a text into a text: gnuplot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace duoblas {

struct ProgramOutput {
  int start_error = 0;     ///< errno, where it could not be started
  bool succeeded = false;  ///< it exited with code 0
  std::string text;        ///< of its standard output
  std::string messages;    ///< of its standard error
};

/// Waits until it ends. `command`: a name that is looked for in PATH, and arguments; no shell is
/// involved. All three streams are files in memory, so the program may also open /dev/stdin.
ProgramOutput program_output(const std::vector<std::string>& command, std::string_view input);

}  // namespace duoblas
