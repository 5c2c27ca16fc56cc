// The comparison of strategies by the time of whole calls, interleaved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "profile/profile.hpp"
#include "tuner/energy_record.hpp"

namespace duoblas {

class EnergyRecorder;

/// A product as a caller gives it.
struct ComparisonProblem {
  Precision precision = Precision::s;
  Op op_a = Op::none;
  Op op_b = Op::none;
  Layout layout = Layout::row_major;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::string routine = "gemm";  ///< or "gemv": A is m x n; op_b and k are ignored
};

struct ComparisonOptions {
  /// From strategy_names(), in their order. Without a device, strategies that need one are skipped.
  std::vector<std::string> strategies = {"cpu",    "gpu",         "simple",
                                         "hybrid", "gpu_cotuned", "cpu_all"};
  int rounds = 9;  ///< every strategy once per round, in a new order each time
  /// Per problem: no new round begins after this time, but three are always made.
  double seconds_per_problem = 20;
  unsigned seed = 1;
  /// Measures joules after the times, if not null; it outlives the comparison.
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
  int rounds = 0;               ///< the number of timings
  std::vector<double> samples;  ///< those timings, in the order they were taken
  int gpu_parts = 0;            ///< p_g of parts
  int parts = 16;
  std::string kernel;  ///< text of the GPU's kernel; empty for cpu and cpu_all
  double error = 0;    ///< scaled error in units of roundoff, of one verified run; right if < 1
  double speedup = 0;  ///< over the faster of cpu and gpu; 0 if neither was measured
  /// The GPU failed and the CPU did its part: the time is not this strategy's.
  bool recovered = false;
  std::vector<DomainFigure> energy;  ///< empty if it was not requested, or there is no sensor
  /// Joules of one call: the sum of domains of which none contains another; 0: not measured.
  double joules = 0;
  std::string routine = "gemm";  ///< or "gemv": `ops` is one letter, k is 1
  /// Of `hybrid`: what was faster beyond doubt in the same run, one side alone or a sixteenth more
  /// or less on the GPU. "gpu takes 9 % less"; empty: nothing.
  std::string beaten_by;
};

/// Measures and verifies. Kernels and shares come from the nearest tuned point of `profile`, or are
/// the built-in ones if it has none of that precision. \throws CpuBlasError, SettingError for an
/// unknown strategy.
std::vector<ComparisonRow> compare(Engine& engine, const std::vector<ComparisonProblem>& problems,
                                   const Profile& profile, const ComparisonOptions& options = {});

/// "nn", "nt", "tc" ...
std::string ops_text(Op op_a, Op op_b);

}  // namespace duoblas
