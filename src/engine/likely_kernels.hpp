// Builds kernels before a call needs them. Until its kernels are there, a call of a preloaded
// program goes to the program's own BLAS.
#pragma once

#include "engine/engine.hpp"

namespace duoblas {

/// Builds the kernels of large real products in the background, a little later, in the order in
/// which programs are likely to need them. Stops if that takes long; loading from the cache is
/// quick. \pre the device is open, fork_generation() == 0.
void build_likely_kernels(Engine& engine);

}  // namespace duoblas
