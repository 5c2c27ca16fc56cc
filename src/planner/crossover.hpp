// Sizes under which the CPU computes without asking the cost model.
#pragma once

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Whether the CPU is certainly faster. A crossover was measured on cubes. It is the smallest of
/// the tuner's sizes at which the GPU gains; at the next smaller size, at most 1.5 times smaller,
/// it does not. Between these two sizes estimates decide. For other shapes than cubes they decide
/// below that, too. If calls are learned from, estimates decide one size further down, because a
/// tuning that was disturbed at one size puts the crossover above it (on two cores at n = 512,
/// where both sides did dgemm in 0.6 of the CPU's time).
bool is_below_crossover(const GemmProblem& problem, double crossover_flops, bool learns);

}  // namespace duoblas
