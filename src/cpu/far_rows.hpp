// Small products of floats into a C whose rows are far apart.
#pragma once

#include <functional>

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Whether OpenBLAS's kernels for small products may store to the wrong places: those of core types
/// with AVX-512 (0.3.21) reach 16 rows of C by distances of 32 bits.
bool has_rows_too_far_apart(const GemmProblem& p);

/// Computes such a product in blocks, each by a call of `multiply` whose C is without gaps. Needs
/// no memory but the stack's.
void multiply_near(const GemmProblem& p, const std::function<void(const GemmProblem&)>& multiply);

}  // namespace duoblas
