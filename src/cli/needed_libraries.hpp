// The libraries that a program needs, found without running it.
#pragma once

#include <string>
#include <vector>

namespace duoblas::cli {

/// The real paths of all libraries that the dynamic loader would load for this program, which is
/// searched for as execvp() does. Empty for scripts and static programs. Libraries that a program
/// loads later, as Python does, are not known.
std::vector<std::string> needed_libraries(const std::string& program, const char* search_path);

}  // namespace duoblas::cli
