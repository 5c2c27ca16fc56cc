// LAPACK's factorisations, and solves with them, on both sides at once.
//
//     decide()     is the device expected to gain? -> Decision {the device's part of every update}
//     carry_out()  panels, exchanges and solves on the CPU, updates on both sides
//     (factorisation.hpp)
//
// In: a LapackProblem (column-major, as in LAPACK). Out: the factors in place, LAPACK's info, an
// Outcome. The engine owns the device; one pass through its gate is held for the whole
// factorisation. Threads: any may call. If the device fails, the CPU does its part.
#pragma once

#include "engine/engine.hpp"
#include "lapack/factorisation.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// Whether such calls can be done here: the sizes fit the CPU BLAS's integers, and the CPU BLAS
/// contains LAPACK. Loads it.
bool can_do(Engine& engine, const LapackProblem& p);

/// Where the device has a factorisation's matrix. `any`: a device that works on copies has a copy
/// of the whole matrix during the call; another device does its part of each update in the caller's
/// memory. For tests: `copied`, a copy wherever it fits; `in_place`, never a copy.
enum class MatrixHome { any, copied, in_place };

/// Plans every update, and so opens the device, if the call is large enough for it. Writes nothing.
/// \pre can_do().
Decision decide(Engine& engine, const LapackProblem& p, MatrixHome home = MatrixHome::any);

/// The outcome of a call, with LAPACK's info.
struct LapackOutcome {
  Outcome outcome;
  int info = 0;
};

/// Does what was decided. \throws CpuBlasError; std::bad_alloc (getri).
LapackOutcome carry_out(Engine& engine, const LapackProblem& p, const Decision& decision);

/// decide() and carry_out() for our own interface. If the settings do not decide, earlier calls'
/// times do. \throws CpuBlasError, also if the CPU BLAS has no LAPACK.
LapackOutcome run_lapack(Engine& engine, const LapackProblem& p);

/// Seconds of the CPU alone by the cost model; 0: it has no estimate.
double estimated_cpu_seconds(const Engine& engine, const LapackProblem& p);

/// Whether a call that would use the device is ours, or the library's that the caller would have
/// without us, as far as such calls' times tell.
bool is_ours(Engine& engine, const LapackProblem& p, const Decision& decision);

/// Calls with fewer flops do not use the device, whatever their shape. Infinity: no call does.
double smallest_lapack_flops(const Engine& engine, Precision precision);

/// A call with fewer flops than this times the smallest product that is worth the device contains
/// no update that is worth it, because the smallest extent of an update is a panel's width.
inline constexpr double lapack_flops_per_product = 4;

}  // namespace duoblas
