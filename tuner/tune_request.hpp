// A request to tune: what, and within which time. A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/types.hpp>

#include "problem/precision.hpp"
#include "profile/tuning_goal.hpp"
#include "sides/cpu_config.hpp"
#include "tuner/fixed_fields.hpp"

namespace duoblas {

/// The sizes of a product: C is m x n, the inner dimension is k.
struct Shape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Squares, and the skewed shapes that applications use: tall, wide, small k, large k, and thin
/// ones.
std::vector<Shape> usual_shapes();

struct TuneRequest {
  std::vector<Precision> precisions = {Precision::s, Precision::d};
  /// The first of each is tuned from nothing, the others start from its results.
  std::vector<Shape> shapes = usual_shapes();
  /// Ops of the row-major problem.
  std::vector<std::pair<Op, Op>> ops = {{Op::none, Op::none}};
  /// For everything together. The time is shared fairly, and a running measurement is finished.
  double budget_seconds = 170;
  unsigned seed = 1;
  /// The quantity to minimise. For all but throughput tune() needs a CallEnergy. `joules_of` names
  /// the domains in its joules: "package + gpu".
  Goal goal = Goal::throughput;
  std::string joules_of;
  std::string search = "halving";  ///< one of search_names()

  /// Configurations of the hybrid's CPU side to choose from, all on the same cores: core types,
  /// what is used without tuning first. Empty: only engine.machine().cpu.
  std::vector<CpuConfig> cpu_configs = {};
  /// The duoblas command, whose children try kernels.
  std::string helper_program = "/proc/self/exe";
  double kernel_time_out_seconds = 30;
  /// At most this many kernels are tried per tuning case; the budget may allow fewer.
  int max_kernels = 150;
  /// Kernel parameters that are given; the others are searched.
  FixedFields fixed = {};
  /// Take the machine as it is: other programs' work is neither waited for nor doubted.
  bool as_is = false;
  /// Whether to find the size from which the GPU is worth its overhead.
  bool measure_crossover = true;
  /// Whether to measure the memory bandwidth of each side, and of both at once.
  bool measure_bandwidth = true;
};

}  // namespace duoblas
