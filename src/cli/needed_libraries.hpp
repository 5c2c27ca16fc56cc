// Which libraries a program brings with it, without running it.
#pragma once

#include <string>
#include <vector>

namespace duoblas::cli {

/// The real paths of all that the dynamic loader would load for this program, which is looked for
/// as execvp() does. Empty for scripts and static programs. What a program loads later, as Python
/// does, is not known.
std::vector<std::string> needed_libraries(const std::string& program, const char* search_path);

}  // namespace duoblas::cli
