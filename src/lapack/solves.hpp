// getrs and potrs: solves with a factorised matrix, as triangular solves of level 3.
#pragma once

#include "engine/engine.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// Right-hand sides under which a solve is not worth two sides: it reads the matrix for a few flops
/// each.
inline constexpr std::int64_t few_right_sides = 64;

/// B = inv(op(triangle)) B with the first n rows of A and of B, by level 3. \throws CpuBlasError.
Outcome solve_triangle(Engine& engine, const LapackProblem& p, Uplo uplo, Op op, Diag diag);

/// With few right-hand sides the CPU BLAS's own routine does it, whose time is that of reading the
/// factors; else level 3 divides the triangular solves. \pre the factors are there. \returns what
/// became of the first of those. \throws CpuBlasError.
Outcome solve_factorised(Engine& engine, const LapackProblem& p);

}  // namespace duoblas
