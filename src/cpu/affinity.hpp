// The cores that this process may run on: those of the main thread and of the calling one.
#pragma once

#include <vector>

namespace duoblas {

/// In ascending order; never empty (core 0 if the kernel does not tell).
std::vector<int> allowed_cores();

}  // namespace duoblas
