// One gemm in place of a whole level-3 call, to estimate its time.
#pragma once

#include "engine/engine.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// The product with the call's operands, with whole matrices in place of triangles.
GemmProblem whole_product(const Level3Problem& problem);
/// Seconds of the CPU alone by the cost model; 0: it has no estimate.
double estimated_cpu_seconds(const Engine& engine, const Level3Problem& problem);

}  // namespace duoblas
