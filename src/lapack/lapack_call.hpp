// LAPACK's factorisations, and solves with them, on both sides at once.
//
//     decide()     is the device expected to gain? -> Decision {the device's part of every update}
//     carry_out()  panels, swaps and solves on the CPU, updates on both sides (factorisation.hpp)
//
// In: a LapackProblem (column-major, as in LAPACK). Out: the factors in place, LAPACK's info, an
// Outcome. The engine owns the device; one pass through its gate is held for the whole
// factorisation.
// Threads: any may call. What the device fails at the CPU does.
#pragma once

#include "engine/engine.hpp"
#include "lapack/factorisation.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// Whether such calls can be done here: sizes that the CPU BLAS's integers hold, and a
/// CPU BLAS that brings LAPACK along. Loads that.
bool can_do(Engine& engine, const LapackProblem& p);

/// How the device has a factorisation's matrix: on a device that works on copies, all of it for the
/// length of the call; else each update is the device's where the matrix lies. For tests: `copied`
/// wherever it fits, `in_place` never.
enum class MatrixHome { any, copied, in_place };

/// Plans every update, and so opens the device, where the call is large enough for it. Writes
/// nothing. \pre can_do().
Decision decide(Engine& engine, const LapackProblem& p, MatrixHome home = MatrixHome::any);

/// What became of a call: LAPACK's info, too.
struct LapackOutcome {
  Outcome outcome;
  int info = 0;
  FactorTimes times;  ///< of a factorisation that used the device
};

/// Does what was decided. \throws CpuBlasError; std::bad_alloc (getri).
LapackOutcome carry_out(Engine& engine, const LapackProblem& p, const Decision& decision);

/// decide() and carry_out() for our own interface: as was asked for, else what is expected to be
/// faster, of which what calls took is remembered. \throws CpuBlasError where the CPU BLAS has no
/// LAPACK, too.
LapackOutcome run_lapack(Engine& engine, const LapackProblem& p);

/// Seconds of the CPU alone by the cost model; 0: it has no estimate.
double estimated_cpu_seconds(const Engine& engine, const LapackProblem& p);
/// Seconds that the updates and the panels are expected to take as decided; 0: not known.
double expected_seconds(const Engine& engine, const LapackProblem& p, const Decision& decision);

/// Flops under which no call uses the device, whatever its shape: infinity where none ever does.
double smallest_lapack_flops(const Engine& engine, Precision precision);

/// An update is a product whose smallest extent is a panel's width: of a call with fewer flops than
/// this many of the smallest product that the device is of use for, none is large enough.
inline constexpr double lapack_flops_per_product = 4;

}  // namespace duoblas
