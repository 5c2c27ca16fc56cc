// Sizes under which the CPU computes without asking the cost model.
#pragma once

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Whether the CPU is certainly faster. A crossover was measured on cubes. It is the smallest of
/// the tuner's sizes at which the GPU gains; at the next smaller size, at most 1.5 times smaller,
/// it does not. Between the two sizes estimates decide, and for other shapes than cubes further
/// down. If calls are learned from, estimates decide one size further down too: a tuning that was
/// disturbed at one size puts the crossover above it (on two cores at n = 512, where both sides did
/// dgemm in 0.6 of the CPU's time).
bool is_below_crossover(const GemmProblem& problem, double crossover_flops, bool learns);

}  // namespace duoblas
