// The cores that this process may run on: those of the main thread and of the calling one.
#pragma once

#include <vector>

namespace duoblas {

/// In ascending order; never empty (core 0 where the kernel does not say).
std::vector<int> allowed_cores();

}  // namespace duoblas
