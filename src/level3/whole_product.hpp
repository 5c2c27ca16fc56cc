// One gemm that stands for a whole level-3 call where its time is estimated.
#pragma once

#include "engine/engine.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// The product that does what the call does, with whole matrices for triangles.
GemmProblem whole_product(const Level3Problem& problem);
/// Seconds of the CPU alone by the cost model; 0: it has no estimate.
double estimated_cpu_seconds(const Engine& engine, const Level3Problem& problem);

}  // namespace duoblas
