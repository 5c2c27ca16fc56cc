// The crossover of each level-3 routine: smaller calls go to the CPU BLAS without planning.
#pragma once

#include "engine/engine.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// A call with fewer flops (problem/level3_problem.hpp: flops) goes to the CPU BLAS, whatever its
/// shape; run_level3 would not use the GPU. Infinity if it never does, 0 if the engine insists on
/// the GPU.
///
/// It follows from gemm's crossover. A call is halved only if the GPU gains in the products of its
/// first halving. These are the largest, and their share of the call's flops is known, because
/// their block of the matrix has at most a quarter of the order squared. So syrk, herk, trmm and
/// trsm need twice gemm's least flops; symm, hemm, syr2k and her2k, with two such products, four
/// times.
double smallest_flops(const Engine& engine, Routine routine, Precision precision);

}  // namespace duoblas
