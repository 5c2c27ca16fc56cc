// Sizes under which nobody asks who is faster.
#pragma once

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Whether the CPU is faster for sure. A crossover was measured on cubes, and is the first of the
/// tuner's sizes that gains: the next smaller one, of which it is 1.5 times the size at most, does
/// not. Between the two estimates decide, and they decide further down where the shape is no cube.
/// Where calls are learned from they do so one size further down: a tuning that was disturbed at
/// one size puts the crossover above it (on two cores at n = 512, of dgemm calls that both sides
/// did in 0.6 of the CPU's time).
bool is_below_crossover(const GemmProblem& problem, double crossover_flops, bool learns);

}  // namespace duoblas
