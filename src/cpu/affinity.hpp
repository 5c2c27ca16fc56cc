// The cores that the calling thread may run on.
#pragma once

#include <vector>

namespace duoblas {

/// In ascending order; never empty (core 0 where the kernel does not say).
std::vector<int> allowed_cores();

}  // namespace duoblas
