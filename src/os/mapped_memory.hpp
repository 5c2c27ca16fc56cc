// Memory that is not the heap's: pages, and files as memory.
#pragma once

#include <cstddef>
#include <memory>

namespace duoblas {

/// Who sees what is written.
enum class Mapping { of_this_process, shared, read_only };

/// Null: errno says why. `file`: a descriptor, or below 0 for pages without a file.
std::shared_ptr<char> map_memory(std::size_t bytes, Mapping mapping, int file = -1);

/// A file in memory of that length, to be mapped. Below 0: errno says why.
int make_memory_file_of(std::size_t bytes) noexcept;

}  // namespace duoblas
