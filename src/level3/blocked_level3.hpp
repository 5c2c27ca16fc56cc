// syrk, symm, trmm, trsm and their kin on both sides at once: where hybrid gemm becomes level 3.
#pragma once

#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// What one call did.
struct Level3Report {
  /// Of the first and largest product; CPU-only where the CPU BLAS did it all.
  Plan plan;
  int products = 0;        ///< that went through the engine
  bool used_gpu = false;   ///< in one of them at least
  bool recovered = false;  ///< the GPU failed in one of them, and the CPU did its part
  double seconds = 0;      ///< the whole call
  /// By the products that the GPU had a part in, against the cost model's estimates of the CPU
  /// alone; nothing where it had none of one, or there is no such product.
  std::optional<double> seconds_won;
};

/// Whether it pays to halve this call: the products then go through the engine, and at least one
/// uses the GPU. Where the engine insists on the GPU, always. Plans, and so opens the device, where
/// the call is large enough for it.
bool is_worth_blocking(Engine& engine, const Level3Problem& p);

/// The products that run_level3 would give the engine for it, in their order; none where that is
/// not worth it. \pre the engine does not insist on the GPU.
std::vector<GemmProblem> products_of(Engine& engine, const Level3Problem& p);

/// Computes, blocked where that pays and else by the CPU BLAS's own routine on all cores; of any
/// size. \throws CpuBlasError; where the library lacks the routine, before anything was written.
Level3Report run_level3(Engine& engine, const Level3Problem& p);

/// Seconds of the CPU BLAS's own routine, as the cost model of gemm has it; 0 where it has no
/// estimate.
double level3_seconds_on_cpu(Engine& engine, const Level3Problem& p);

/// What a call of the CPU BLAS may have. Tests lower these.
struct LeafLimits {
  std::int64_t extent;
  std::int64_t leading_dimension;
  /// Extents of a call whose operands are copied because their ld is over the limit.
  std::int64_t copied_extent;
  double flops;
};

/// The same within other limits.
Level3Report run_level3(Engine& engine, const Level3Problem& p, const LeafLimits& limits);

}  // namespace duoblas
