// Builds kernels before a call needs them. Until its kernels are there, a call of a preloaded
// program goes to the program's own BLAS.
#pragma once

#include <functional>

#include "engine/engine.hpp"

namespace duoblas {

/// Builds the kernels of large real products in the background, while the program rests, in the
/// order in which programs are likely to need them. Stops if that takes long; loading from the
/// cache is quick. `rests`: whether the program has made no call since this was asked last, and
/// makes none now. Asked again and again, first after `pause` seconds, then less and less often.
/// \pre the device is open, fork_generation() == 0.
void build_likely_kernels(Engine& engine, std::function<bool()> rests, double pause = 1);

}  // namespace duoblas
