// Makes a comparison.
#pragma once

#include <functional>
#include <vector>

#include "cli/bench/record.hpp"
#include "engine/engine.hpp"

namespace duoblas::cli {

struct BenchRequest {
  std::vector<ComparisonProblem> problems;
  ComparisonOptions strategies;
  bool splits = false;  ///< split curves too, of the largest problem of each precision
  SplitCurveRules split_rules;
  bool transfers = false;  ///< transfers and kernels apart, too
  bool power = false;      ///< watts and joules too; where no sensor is, the record says so
};

/// Called as soon as a problem was measured, with the record so far. Its context and power sources
/// are complete.
using OnProblem = std::function<void(const BenchRecord&, const ProblemRows&)>;

/// Measures with the machine's profile. \throws CpuBlasError; DeviceError if transfers are asked
/// for and there is no device.
BenchRecord measure(Engine& engine, const BenchRequest& request, const OnProblem& on_problem);

/// \throws Error if a strategy computed a wrong result.
void require_right_results(const BenchRecord& record);

}  // namespace duoblas::cli
