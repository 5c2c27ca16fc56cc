// getrs and potrs: solves with a factorised matrix, as triangular solves of level 3.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "engine/engine.hpp"
#include "lapack/factorisation.hpp"
#include "lapack/lapack_call.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// With fewer right-hand sides a solve is not worth two sides, since it reads the matrix for a few
/// flops per element.
inline constexpr std::int64_t few_right_sides = 64;

/// LAPACK's info of a triangle that is to be divided by: the number, from 1 on, of the first zero
/// on A's diagonal; 0: none of the n is zero.
int first_zero(const LapackProblem& p);

/// The solve of getrs, potrs or a solver on a device that works on copies: it has the factors and
/// the right-hand sides for the length of the solve. Nothing: it is of no use, or has no room.
std::optional<DeviceFactorisation> solve_on_device(Engine& engine, const LapackProblem& p,
                                                   MatrixHome home);
/// Carries that out. \pre the factors exist. \throws CpuBlasError.
Outcome solve_on_device(Engine& engine, const DeviceFactorisation& call);

/// Sends the factors, and solves for the right-hand sides in strips, with `beside` meanwhile.
/// \throws DeviceError.
void solve_in_strips(FactorsOnDevice& factors, const LapackProblem& p,
                     const std::function<void()>& beside);
/// Solves with the factors that the device has. If it fails, or has no room, the CPU is to solve
/// for the sides that are left, which `solve` then says. The factors are the caller's in any case.
void solve_with_factors(FactorsOnDevice& factors, DeviceUpdates& device, SolveWithFactors& solve,
                        const std::function<void()>& beside);
/// With few right-hand sides the CPU BLAS's own routine does it, whose time is that of reading the
/// factors. Otherwise level 3 divides the triangular solves. \pre the factors exist. \returns what
/// those did, with the plan of the first. \throws CpuBlasError.
Outcome solve_factorised(Engine& engine, const LapackProblem& p);

}  // namespace duoblas
