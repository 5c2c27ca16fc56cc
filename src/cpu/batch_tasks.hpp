// How a batch is dealt out to threads that each call a BLAS of one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/batch_problem.hpp"

namespace duoblas {

/// Neighbours of one group, done by one thread one after another.
struct BatchTask {
  std::int64_t group = 0, first = 0, count = 0;
};

/// Tasks that are done side by side, or a single product that all threads share.
struct BatchRound {
  std::vector<BatchTask> tasks;
  bool is_shared = false;
};

/// All products of the batch. A task takes a tenth of a millisecond or more, so that handing it out
/// costs little, and there are several for each thread where that is possible. Products that keep
/// all threads busy by themselves are shared. A round is of bounded work: a fork waits for one. It
/// depends on the arguments only.
std::vector<BatchRound> batch_rounds(const BatchProblem& batch, int threads);

}  // namespace duoblas
