// The comparison that the project exists for: each strategy's whole-call time, interleaved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "profile/profile.hpp"
#include "tuner/energy_record.hpp"

namespace duoblas {

class EnergyRecorder;

/// A product as a caller writes it.
struct ComparisonProblem {
  Precision precision = Precision::s;
  Op op_a = Op::none;
  Op op_b = Op::none;
  Layout layout = Layout::row_major;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::string routine = "gemm";  ///< or "gemv": A is m x n, op_b and k say nothing
};

struct ComparisonOptions {
  /// Of strategy_names(), in their order. Without a device those that need it are left out.
  std::vector<std::string> strategies = {"cpu",    "gpu",         "simple",
                                         "hybrid", "gpu_cotuned", "cpu_all"};
  int rounds = 9;  ///< every strategy once per round, in a new order each time
  /// Per problem: no new round is begun after it, but three are always made.
  double seconds_per_problem = 20;
  unsigned seed = 1;
  /// Measures joules after the times, where there is one; it outlives the comparison.
  EnergyRecorder* energy = nullptr;
};

/// One strategy at one problem.
struct ComparisonRow {
  Precision precision = Precision::s;
  std::string ops;     ///< as the caller wrote them: "nn", "nt", "ct" ...
  std::string layout;  ///< "row" or "column"
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::string strategy;
  double gflops = 0;      ///< from the median
  double seconds = 0;     ///< median of the whole call
  double seconds_q1 = 0;  ///< quartiles
  double seconds_q3 = 0;
  int rounds = 0;               ///< how many timings these are
  std::vector<double> samples;  ///< those timings, in the order they were taken
  int gpu_parts = 0;            ///< p_g of parts
  int parts = 16;
  std::string kernel;  ///< text of the GPU's kernel; empty for cpu and cpu_all
  double error = 0;    ///< scaled error in units of roundoff, of one verified run; right if < 1
  double speedup = 0;  ///< over the faster of cpu and gpu; 0 where neither was measured
  /// The GPU failed and the CPU did its part: the time is not this strategy's.
  bool recovered = false;
  std::vector<DomainFigure> energy;  ///< empty where it was not asked for, or there is no sensor
  /// Of one call: the domains that do not hold one another, together; 0: not measured.
  double joules = 0;
  std::string routine = "gemm";  ///< or "gemv": `ops` is one letter, k is 1
};

/// Measures and verifies. `profile` gives kernels and shares (its nearest tuned point; the
/// built-in ones where it has none of that precision). \throws CpuBlasError, SettingError for an
/// unknown strategy.
std::vector<ComparisonRow> compare(Engine& engine, const std::vector<ComparisonProblem>& problems,
                                   const Profile& profile, const ComparisonOptions& options = {});

/// "nn", "nt", "tc" ...
std::string ops_text(Op op_a, Op op_b);

}  // namespace duoblas
