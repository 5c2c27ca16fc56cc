// Sizes under which nobody asks who is faster.
#pragma once

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Whether the CPU is faster for sure. A crossover was measured on cubes, and is the first of the
/// tuner's sizes that gains: the next smaller one, of which it is 1.5 times the size at most, does
/// not. Between the two estimates decide, and they decide further down where the shape is no cube.
bool is_below_crossover(const GemmProblem& problem, double crossover_flops);

}  // namespace duoblas
