// The options that decide what is measured, and how: the same for `duoblas bench` and `report`.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/measurement.hpp"
#include "cli/product_options.hpp"
#include "tuner/tune_request.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace duoblas::cli {

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
