// The messages from a section's process to its parent: one line of JSON each.
#pragma once

#include <string>

#include "cli/selftest/finding.hpp"

namespace duoblas::cli::selftest {

struct SectionLine {
  enum class Say { begun, progress, found, ended };
  Say say = Say::ended;
  int step = 0;
  std::string name;
  Finding finding;
};

/// Without the line's end.
std::string line_of(const SectionLine& line);
/// \throws Error where it is none: a driver's own output never comes here.
SectionLine section_line_from(const std::string& text);

}  // namespace duoblas::cli::selftest
