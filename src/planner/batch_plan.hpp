// How a batch is done: which of its products the GPU computes. Pure, like planner.hpp.
#pragma once

#include <cstdint>

#include "planner/planner.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

struct BatchPlan {
  /// Strategy, sharing, cores, times and reason. Its axis, extent and kernel are not used.
  Plan plan;
  /// The GPU's part of the first `entry` products. The CPU alone does the others afterwards.
  BatchPartition partition;
  std::int64_t entry = 0;

  bool uses_gpu() const {
    return plan.strategy != Strategy::cpu && (partition.products > 0 || partition.rows > 0);
  }
};

/// Whether products of this shape are as fast one after another, each split over both sides.
bool are_better_alone(const GemmProblem& shape);

/// One product with the work of the whole batch, which the cost model judges in its place. It is a
/// cube, the shape that profiles know best; learned factors of batches correct the rest. With
/// `copied` the GPU works on copies; then the products are stacked below one another, so that A and
/// C have as many elements as the batch's. \pre not empty.
GemmProblem stacked(const BatchProblem& batch, bool copied);

/// As for gemm, for stacked(). With a forced split each side has at least one product if there are
/// two. \pre not empty; every group multiplies.
BatchPlan make_batch_plan(const BatchProblem& batch, const PlanMachine& machine,
                          const PlanRequest& request, const LearnedTimes* learned = nullptr);

}  // namespace duoblas
