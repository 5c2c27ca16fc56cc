// syrk, symm, trmm, trsm and the like on both sides at once: a call becomes hybrid products and
// calls of the CPU BLAS's own routine, or one job of the device.
//
// decide() halves the call as long as that pays, and plans each product once. carry_out() does the
// steps in order: a product is a hybrid gemm of the engine, a rest the CPU BLAS's own routine. In:
// a Level3Problem; out: an Outcome. Owns nothing: the engine has the device, the caller the
// matrices. Any thread may call; the steps of a call run on the calling thread.
#pragma once

#include <cstdint>

#include "engine/engine.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// The largest call that goes to the CPU BLAS at once. Tests lower these limits.
struct RoutineLimits {
  std::int64_t extent;
  std::int64_t leading_dimension;
  /// The largest extent of an operand that must be copied first, because its ld exceeds the limit.
  std::int64_t copied_extent;
  double flops;
};

/// As for gemm (PieceLimits): 2^31 minus a margin; 64 MiB per copy; half a second on two cores, for
/// which a fork waits.
inline constexpr RoutineLimits cpu_blas_limits = {(std::int64_t{1} << 31) - 65536,
                                                  (std::int64_t{1} << 31) - 1, 2048, 2.5e11};

/// How a call uses the device. `any`: as one job if the device takes all operands at once and that
/// is expected to be faster, or if the user insists on the GPU. For comparisons: `job`, as one job
/// wherever that is possible; `halves`, never as one job.
enum class Level3Mode { any, job, halves };

/// Divides a call of any size into steps if that is faster, or if the engine insists on the GPU.
/// Otherwise there is one step, the CPU BLAS's own routine on all cores. Very large calls are
/// always divided. Plans, and so opens the device, if the call is large enough for it. Writes
/// nothing.
Decision decide(Engine& engine, const Level3Problem& p,
                const RoutineLimits& limits = cpu_blas_limits, Level3Mode mode = Level3Mode::any);

/// Does what was decided. \throws CpuBlasError; if the library lacks the routine, before anything
/// was written.
Outcome carry_out(Engine& engine, const Level3Problem& p, const Decision& decision);

/// The calling thread's call, as its times are learned.
CallClass call_class(Engine& engine, const Level3Problem& p);
/// Whether who does such calls is a choice, so that their times are wanted. Others are never the
/// device's, and may take microseconds.
bool is_choice(const Engine& engine, const Level3Problem& p, const Decision& decision);

/// decide(), then carry_out().
Outcome run_level3(Engine& engine, const Level3Problem& p,
                   const RoutineLimits& limits = cpu_blas_limits,
                   Level3Mode mode = Level3Mode::any);

/// A call with fewer flops (problem/level3_problem.hpp: flops) goes to the CPU BLAS, whatever its
/// shape; run_level3 would not use the GPU. Infinity if it never does, 0 if the engine insists on
/// the GPU.
///
/// It follows from gemm's crossover. A call is halved only if the GPU gains in the products of its
/// first halving. These are the largest, and their share of the call's flops is known, because
/// their block of the matrix has at most a quarter of the order squared. So syrk, herk, trmm and
/// trsm need twice gemm's least flops; symm, hemm, syr2k and her2k, with two such products, four
/// times.
double smallest_flops(const Engine& engine, Routine routine, Precision precision);

}  // namespace duoblas
