// Builds kernels of level-3 routines other than gemm before a program's second call, because such a
// call needs several and waits for all of them.
#pragma once

#include "engine/engine.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// Notes a call that the program's own BLAS is going to do before the device is started.
/// Thread-safe.
void note_level3_before_start(const Level3Problem& problem) noexcept;

/// Builds the kernels for the largest of those calls, on this thread. \pre the device is open,
/// fork_generation() == 0.
void build_level3_kernels(Engine& engine);

}  // namespace duoblas
