// How many products are divided among threads, each of which calls a BLAS with one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/batch_problem.hpp"

namespace duoblas {

/// From n = 512 on a BLAS of several threads is as good as its threads one by one.
inline constexpr double flops_worth_sharing = 2.0 * 512 * 512 * 512;

/// Consecutive products of one group, done one after another by one thread.
struct BatchTask {
  std::size_t group = 0;
  std::int64_t first = 0, count = 0;
};

/// Tasks that are done at the same time, or a single product that all threads share.
struct BatchRound {
  std::vector<BatchTask> tasks;
  bool is_shared = false;
};

/// All products. A task takes at least a tenth of a millisecond, so that handing it out costs
/// little, and there are several tasks per thread if possible. A product that keeps all threads
/// busy by itself is shared. The work of a round is bounded, because a fork waits for one. The
/// result depends on the arguments only.
std::vector<BatchRound> batch_rounds(const BatchProblem& batch, int threads);

}  // namespace duoblas
