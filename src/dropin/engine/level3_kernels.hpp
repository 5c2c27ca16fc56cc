// Kernels of level-3 routines other than gemm that are built before a program's second call: such a
// call wants several, and waits for all of them.
#pragma once

#include "engine/engine.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// The program's own BLAS is going to do this call, before the device is started. Thread-safe.
void note_level3_before_start(const Level3Problem& problem) noexcept;

/// Builds the kernels that the largest of those calls would have wanted, on this thread. \pre the
/// device is open, fork_generation() == 0.
void build_level3_kernels(Engine& engine);

}  // namespace duoblas
