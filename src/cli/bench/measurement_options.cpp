// The options that `duoblas bench` and `duoblas report` share.
#include "cli/bench/measurement.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/arguments.hpp"
#include "cli/bench/sweep.hpp"
#include "cli/subcommands.hpp"
#include "tuner/gemv_comparison.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas::cli {
namespace {

std::vector<Shape> shapes_of(const MeasurementOptions& options,
                             const std::vector<Shape>& otherwise) {
  std::vector<Shape> shapes = to_shapes(options.products.shapes, options.products.sizes,
                                        options.sweeps.empty() ? otherwise : std::vector<Shape>());
  for (const std::string& text : options.sweeps)
    for (const Shape& shape : shapes_of_sweep(text))
      if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  return shapes;
}

// The two sizes of a matrix, and no third: "4096x64" is taken, too.
std::vector<Shape> matrix_shapes(const MeasurementOptions& options) {
  MeasurementOptions extended = options;
  for (std::string& shape : extended.products.shapes)
    if (std::ranges::count(shape, 'x') + std::ranges::count(shape, 'X') == 1) shape += "x1";
  std::vector<Shape> shapes;
  for (Shape shape : shapes_of(extended, {{4096, 4096, 1}, {8192, 8192, 1}})) {
    shape.k = 1;
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  return shapes;
}

// If no strategies were asked for, gemv has its own.
void choose_strategies(const MeasurementOptions& options, BenchRequest& request) {
  const bool gemv = options.routine == "gemv";
  const auto& names = gemv ? gemv_strategy_names() : strategy_names();
  std::vector<std::string>& wanted = request.strategies.strategies;
  if (gemv && wanted == ComparisonOptions().strategies) wanted = names;
  for (const std::string& strategy : wanted)
    if (std::ranges::find(names, strategy) == names.end())
      throw UsageError("--strategy " + strategy + ": " + options.routine + " has no such one");
}

void add_gemvs(const MeasurementOptions& options, Layout layout, BenchRequest& request) {
  const std::vector<Shape> shapes = matrix_shapes(options);
  std::vector<Shape> memory;
  for (const Shape& s : shapes) memory.push_back({s.m, 1, s.n});
  const bool given = options.products.ops != ProductOptions().ops;
  const std::vector<Op> ops =
      given ? to_single_ops(options.products.ops) : std::vector<Op>{Op::none, Op::transpose};
  for (const Precision precision : to_precisions(options.products.precisions)) {
    require_memory(memory, precision);
    for (const Op op : ops)
      for (const Shape& s : shapes)
        request.problems.push_back({precision, op, Op::none, layout, s.m, s.n, 1, "gemv"});
  }
}

std::vector<std::string> all_strategy_names() {
  std::vector<std::string> names = strategy_names();
  for (const std::string& name : gemv_strategy_names())
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

}  // namespace

void add_measurement_options(CLI::App& command, MeasurementOptions& options,
                             const std::string& default_sizes) {
  add_value(command, "--routine", options.routine, "NAME",
            "gemm, or gemv: y = op(A) x, with --shape MxN, --ops of n, t and c (n,t unless "
            "given), sizes 4096,8192, and the strategy `prepared` (A is on the device already)")
      ->capture_default_str()
      ->check(CLI::IsMember({"gemm", "gemv"}));
  add_product_options(command, options.products, default_sizes);
  add_value(command, "--sweep", options.sweeps, "EXTENTS=FIRST:LAST:STEP",
            "Sizes in a row, e.g. m=256:8192:*2, mnk=512:4096:+512 or mn=256:4096:*2,k=64 "
            "(what is not named is 1024); repeatable");
  add_value(command, "--layout", options.layout, "row|column", "Storage order of the matrices")
      ->capture_default_str()
      ->check(CLI::IsMember({"row", "column"}));
  add_value(command, "--strategy", options.comparison.strategies, "NAME,...",
            "Which to compare; of gemm all but auto, of gemv all, unless given")
      ->delimiter(',')
      ->check(CLI::IsMember(all_strategy_names()));
  add_value(command, "--rounds", options.comparison.rounds, "NUMBER", "Timings of each")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  add_value(command, "--seconds", options.comparison.seconds_per_problem, "SECONDS",
            "No new round after this time, per problem")
      ->capture_default_str();
  add_value(command, "--seed", options.comparison.seed, "NUMBER", "Of data and order")
      ->capture_default_str();
  command.add_flag("--transfers", options.transfers,
                   "The GPU's part apart, too: operands to the device, kernel, result back; by "
                   "copies and, where the driver shares memory, without");
  command.add_flag("--power", options.power,
                   "Watts and joules too; some 20 seconds more for each product, and "
                   "minutes where a battery is among the sensors");
}

void exclude_measuring(CLI::App& command, CLI::Option& from) {
  for (const char* name :
       {"--routine", "--precision", "--size", "--shape", "--ops", "--sweep", "--layout",
        "--strategy", "--rounds", "--seconds", "--seed", "--transfers", "--power"})
    from.excludes(command.get_option(name));
}

BenchRequest request_of(const MeasurementOptions& options, const std::vector<Shape>& otherwise) {
  // Written so that it refuses NaN, which CLI::Range takes.
  const double seconds = options.comparison.seconds_per_problem;
  if (!(seconds >= 0 && seconds <= 86400))
    throw UsageError("--seconds: give a number from 0 to 86400");
  BenchRequest request;
  request.strategies = options.comparison;
  request.split_rules.seed = options.comparison.seed;
  request.split_rules.seconds = seconds;
  request.split_rules.rounds = std::min(options.comparison.rounds, 5);
  request.splits = options.splits;
  request.transfers = options.transfers;
  request.power = options.power;
  const Layout layout = options.layout == "column" ? Layout::column_major : Layout::row_major;
  choose_strategies(options, request);
  if (options.routine == "gemv") {
    add_gemvs(options, layout, request);
    return request;
  }
  const std::vector<Shape> shapes = shapes_of(options, otherwise);
  for (const Precision precision : to_precisions(options.products.precisions)) {
    for (const auto& [op_a, op_b] : to_ops(options.products.ops)) {
      require_memory(shapes, precision);
      for (const Shape& s : shapes)
        request.problems.push_back({precision, op_a, op_b, layout, s.m, s.n, s.k});
    }
  }
  return request;
}

}  // namespace duoblas::cli
