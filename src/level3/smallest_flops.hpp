// The crossover of each level-3 routine: below it a call goes to the CPU BLAS and nothing is
// planned.
#pragma once

#include "engine/engine.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// Flops (problem/level3_problem.hpp: flops) under which a call is the CPU BLAS's, whatever its
/// shape, and run_level3 would not use the GPU: infinity where it never does, 0 where the engine
/// insists on the GPU.
///
/// It follows from gemm's. A call is blocked only where the GPU gains in the products of its first
/// halving, the largest there are, and these have a known share of the call's flops: halves of the
/// order multiply to a quarter of its square at most. So syrk, herk, trmm and trsm need twice
/// gemm's least flops, symm, hemm, syr2k and her2k (two such products) four times.
double smallest_flops(const Engine& engine, Routine routine, Precision precision);

}  // namespace duoblas
