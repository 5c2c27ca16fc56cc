// The libraries that a program needs, found without running it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace duoblas::cli {

/// The file that execvp() would run; the name itself if there is none.
std::string found_program(const std::string& program, const char* search_path);

/// The loader that a program names; nothing: it is static, or none of this machine's own kind.
std::optional<std::string> loader_of(const std::string& path);

/// The real path of such a loader if it is one of the system's: root's, below /lib, /lib64 or
/// /usr/lib, and its name begins with "ld-". Nothing: it may be any program.
std::optional<std::string> system_loader(const std::string& loader);

/// The real paths of the libraries that this loader, which is run, lists for the file at this path.
std::vector<std::string> listed_libraries(const std::string& loader, const std::string& path);

/// The real paths of all libraries that the dynamic loader would load for this program, which is
/// searched for as execvp() does. Empty for scripts and static programs. Libraries that a program
/// loads later, as Python does, are not known. It runs the loader that the program names, so it is
/// for who runs the program next.
std::vector<std::string> needed_libraries(const std::string& program, const char* search_path);

}  // namespace duoblas::cli
