// Warms up the device and the CPU BLAS with products of the library's own, beside the program's
// calls.
#pragma once

#include "engine/engine.hpp"

namespace duoblas {

/// Computes a product with matrices of its own a few times on the GPU and once on the CPU side. It
/// is as large as `like`, or as large as is affordable. First products wait for memory, threads and
/// clocks, so that no call of the program has to. The learner gets the GPU's time, so that no call
/// must find out by a long wait that the GPU is slower than promised. (With a profile of this
/// device it gets only times that are better than expected: beside the program's BLAS a device is
/// slower than alone.) Does nothing if that profile leaves such calls to the CPU. \pre the device
/// is open, fork_generation() == 0, the CPU's instances are loaded.
double warm_up(Engine& engine, const GemmProblem& like, ProfileMatch of_profile) noexcept;

}  // namespace duoblas
