// Kernels alone: built, verified, timed. What is wrong never comes further than this.
#pragma once

#include <vector>

#include "tuner/measured_problem.hpp"
#include "tuner/session.hpp"

namespace duoblas {

/// A kernel that computed right results, and the whole call's time with it alone.
struct ScreenedKernel {
  KernelParams kernel;
  double seconds = 0;
};

/// Builds and verifies candidates, best guesses first, until `deadline` (two at least), on an
/// uneven problem with every edge and on one of `shape`; fastest first. The listener hears of
/// those that do not build or are wrong.
std::vector<ScreenedKernel> verified_kernels(TuneContext& context, Precision precision, Op op_a,
                                             Op op_b, const Shape& shape, int max_kernels,
                                             Clock::time_point deadline);

/// Times the first `limit` kernels on another problem, interleaved; fastest first.
std::vector<ScreenedKernel> ranked_alone(TuneContext& context, const MeasuredProblem& problem,
                                         const std::vector<ScreenedKernel>& kernels,
                                         std::size_t limit, Clock::time_point deadline);

/// At most `size` of the ranked kernels, the fastest first: then the fastest of each other way to
/// use memory (packing, blocks), because that is what the CPU side competes for, then by speed.
/// None slower than 1.5 times the fastest.
std::vector<ScreenedKernel> diverse_front(const std::vector<ScreenedKernel>& ranked,
                                          std::size_t size);

/// The plan that gives this kernel the whole of C.
Plan alone_plan(const TuneContext& context, const GemmProblem& problem, const KernelParams& kernel);

}  // namespace duoblas
