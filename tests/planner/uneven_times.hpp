// True times that no time model describes.
#pragma once

#include "planner/planned_partition.hpp"
#include "planner/point_timings.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas::test {

/// A factor of every time: a smooth function of log m, log n and log k, part of which all types and
/// ops of a side have in common, times one of each product's own. As standard deviations of
/// logarithms, of products of 2e7 flops and less; from 1e10 on they are a fifth of that.
struct UnevenTimes {
  double smooth_cpu = 0, rough_cpu = 0;
  double smooth_gpu = 0, rough_gpu = 0;
  /// Of parts of C: of the exponent of the part, and of columns beside rows.
  double steep_cpu = 0, steep_gpu = 0, of_columns = 0;
  unsigned seed = 1;

  double factor(Timed what, const GemmProblem& of, const WorkSizes& part) const;
};

}  // namespace duoblas::test
