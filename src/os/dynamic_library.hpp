// Shared libraries, in the program's own link namespace.
#pragma once

#include <string>

namespace duoblas {

/// Loads a library; its symbols do not serve others. Null: why_no_library() says why. Never closed.
void* open_library(const char* name) noexcept;
/// The same if the process has it already; null otherwise.
void* open_loaded_library(const char* name) noexcept;
/// Null: it has no such symbol.
void* library_symbol(void* library, const char* name) noexcept;
/// What was wrong with the calling thread's last call of those above; `otherwise` if nothing is
/// known.
std::string why_no_library(const std::string& otherwise);

/// The file, without symbolic links; `otherwise` if it is not known.
std::string path_of_library(void* library, const std::string& otherwise);
/// The library or program that holds this address, as it was named when it was loaded; null: none.
const char* library_at(const void* address) noexcept;

}  // namespace duoblas
