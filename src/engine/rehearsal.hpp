// Products of our own before a program's first ones, beside its calls.
#pragma once

#include "engine/engine.hpp"

namespace duoblas {

/// Multiplies a few times on the GPU, and once on the CPU side, what is as large as `like` or as
/// affordable, with matrices of its own: what a device's and a CPU BLAS's first products wait for
/// (memory, threads, clocks) no call of the program waits for. The learner hears of the GPU's time,
/// so that no call has to find out by a long wait that it is slower than promised: where the
/// profile is this device's, only if it is not. Nothing is done where that profile leaves such
/// calls to the CPU. \pre the device is open, fork_generation() == 0, the CPU's instances are
/// loaded.
void rehearse(Engine& engine, const GemmProblem& like, ProfileMatch of_profile) noexcept;

}  // namespace duoblas
