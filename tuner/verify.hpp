// Verifies a computed C by the error bound of a backward-stable product, not by an arbitrary
// epsilon.
//
// The scaled error is ||C - R||_F / ((sqrt(k+2) |alpha| ||A||_F ||B||_F + 2 |beta| ||C0||_F) u),
// where u is the unit roundoff; for complex types the bound grows by 2 sqrt(2). A result is right
// where it is below 1. This is the test of BLAS++ (check_gemm.hh).
#pragma once

#include <cstdint>
#include <vector>

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The scaled error of these rows of problem.c against a reference accumulated in a wider type
/// (double for float, long double for double); each row costs n * k. `old_c`: C before the call, in
/// problem.c's storage; used only if beta != 0. Infinite if an element is not finite.
double scaled_error(const GemmProblem& problem, const void* old_c,
                    const std::vector<std::int64_t>& rows);

/// The scaled error of all of problem.c against `trusted`, a verified C in the same storage.
double scaled_difference(const GemmProblem& problem, const void* trusted, const void* old_c);

/// Whether no element of problem.c is NaN or infinite.
bool is_finite_c(const GemmProblem& problem);

/// Every row where the product is small; else the first and last, both sides of `boundary`, and a
/// few at random.
std::vector<std::int64_t> rows_to_verify(const GemmProblem& problem, std::int64_t boundary,
                                         unsigned seed);

}  // namespace duoblas
