// Makes a comparison; and the options that decide what is measured, and how: the same for `duoblas
// bench` and `report`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/bench/record.hpp"
#include "cli/product_options.hpp"
#include "engine/engine.hpp"
#include "tuner/tune_request.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

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

struct MeasurementOptions {
  std::string routine = "gemm";  ///< or "gemv"
  ProductOptions products;
  std::vector<std::string> sweeps;
  std::string layout = "row";
  ComparisonOptions comparison;
  bool transfers = false;
  bool power = false;
  bool splits = false;

  /// Whether sizes or shapes were asked for.
  bool name_shapes() const {
    return !sweeps.empty() || !products.sizes.empty() || !products.shapes.empty();
  }
};

/// `default_sizes` is for the help text.
void add_measurement_options(CLI::App& command, MeasurementOptions& options,
                             const std::string& default_sizes);

/// `--from` measures nothing, so it excludes the options that decide what is measured.
void exclude_measuring(CLI::App& command, CLI::Option& from);

/// `otherwise`: the shapes if none are asked for. \throws UsageError for options that make no
/// sense, or that need more memory than the machine has.
BenchRequest request_of(const MeasurementOptions& options, const std::vector<Shape>& otherwise);

}  // namespace duoblas::cli
