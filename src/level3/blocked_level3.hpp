// syrk, symm, trmm, trsm and the like on both sides at once: a call becomes hybrid products and
// calls of the CPU BLAS's own routine, or one job of the device.
//
// decide() halves the call as long as that pays and plans each product once. carry_out() does the
// steps in their order: a product is a hybrid gemm of the engine, a rest the CPU BLAS's own
// routine.
// In: a Level3Problem; out: an Outcome. Owns nothing: the engine has the device, the caller the
// matrices. Any thread may call; the steps of a call run on the calling thread.
#pragma once

#include "engine/engine.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// The largest call that the CPU BLAS gets at once. Tests lower these.
struct LeafLimits {
  std::int64_t extent;
  std::int64_t leading_dimension;
  /// The largest extent where an operand must first be copied, because its ld is over the limit.
  std::int64_t copied_extent;
  double flops;
};

/// As for gemm (PieceLimits): 2^31 less a slack; 64 MiB per copy; half a second of two cores, for
/// which a fork waits.
inline constexpr LeafLimits cpu_blas_limits = {(std::int64_t{1} << 31) - 65536,
                                               (std::int64_t{1} << 31) - 1, 2048, 2.5e11};

/// How a call uses the device. `any`: as one job if the device takes all operands at once and that
/// is expected to be faster, or if the user insists on the GPU. For comparisons: `job`, as one job
/// wherever that is possible; `halves`, never as one job.
enum class Level3Way { any, job, halves };

/// Splits a call of any size into steps where that is faster, or where the engine insists on the
/// GPU; otherwise it is one step, the CPU BLAS's own routine on all cores. Very large calls are
/// split in any case. Plans, and so opens the device, where the call is large enough for it. Writes
/// nothing.
Decision decide(Engine& engine, const Level3Problem& p, const LeafLimits& limits = cpu_blas_limits,
                Level3Way way = Level3Way::any);

/// Does what was decided. \throws CpuBlasError; where the library lacks the routine, before
/// anything was written.
Outcome carry_out(Engine& engine, const Level3Problem& p, const Decision& decision);

/// What the device may multiply in such a call, whichever way it goes. Plans; of the operands
/// nothing is read or written.
std::vector<PlannedProduct> likely_products(Engine& engine, const Level3Problem& p);

/// Both.
Outcome run_level3(Engine& engine, const Level3Problem& p,
                   const LeafLimits& limits = cpu_blas_limits, Level3Way way = Level3Way::any);

}  // namespace duoblas
