// What to tune, and within which time: a plain value.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <duoblas/types.hpp>

#include "plan/cpu_config.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// The sizes of a product: C is m x n, the inner dimension is k.
struct Shape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct TuneRequest {
  std::vector<Precision> precisions = {Precision::s, Precision::d};
  std::vector<Shape> shapes = {{512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}};
  /// Ops of the row-major problem.
  std::vector<std::pair<Op, Op>> ops = {{Op::none, Op::none}};
  /// For everything together; the time is shared fairly, and a phase under way is finished.
  double budget_seconds = 110;
  unsigned seed = 1;

  /// Configurations of the hybrid's CPU side to choose from, all on the same cores; empty: only
  /// engine.machine().cpu.
  std::vector<CpuConfig> cpu_configs = {};
  /// At most this many kernels are built per precision and op pair; the budget may allow fewer.
  int max_kernels = 32;
  /// Find the size from which the GPU is worth its overhead.
  bool measure_crossover = true;
};

}  // namespace duoblas
