// Kernels are built before anybody waits for one: a preloaded program's calls are its own BLAS's
// until theirs are there.
#pragma once

#include "engine/engine.hpp"

namespace duoblas {

/// Has the kernels of large products of real numbers built, a little later, in the background and
/// in the order in which programs are likely to want them, as long as that is cheap, as it is where
/// they come from the cache. \pre the device is open, fork_generation() == 0.
void build_likely_kernels(Engine& engine);

}  // namespace duoblas
