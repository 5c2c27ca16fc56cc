// Sections run in child processes: a driver that crashes or hangs costs a step, not the report.
#pragma once

#include <string>
#include <vector>

#include "cli/selftest/section.hpp"

namespace duoblas::cli::selftest {

struct NamedFinding {
  std::string step;
  Finding finding;
};

struct SectionReport {
  std::string name;
  std::vector<NamedFinding> findings;
  double seconds = 0;

  /// Wrong where a step is; not possible here where every step but the opening is; else ok.
  Found found() const;
  /// One line: what is wrong, why it is not possible, or how much was found right.
  std::string summary() const;
};

struct SectionOptions {
  bool quick = false;
  double step_seconds = 20;  ///< after which a step hangs; twice that until the first one begins
};

/// Runs it in children of this program, a new one behind each step that crashed or hung; after
/// three crashes or two hangs the rest is left out.
SectionReport run_in_child(const Section& section, const SectionOptions& options);

/// The first of the child's arguments; the others are its business.
inline constexpr const char* section_argument = "--selftest-section";

/// Without the line's end.
std::string line_of(const SectionLine& line);
/// \throws Error where it is none: a driver's own output never comes here.
SectionLine section_line_from(const std::string& text);

/// The child's half. Returns the program's exit code.
int run_section(int count, char** arguments);

}  // namespace duoblas::cli::selftest
