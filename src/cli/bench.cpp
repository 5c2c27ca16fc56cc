// duoblas bench: CPU-only, GPU-only and hybrid side by side, each verified.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <duoblas/error.hpp>

#include "cli/arguments.hpp"
#include "cli/bench/comparison_charts.hpp"
#include "cli/bench/machine_text.hpp"
#include "cli/bench/measurement.hpp"
#include "cli/bench/record.hpp"
#include "cli/bench/record_changes.hpp"
#include "cli/bench/strategy_table.hpp"
#include "cli/json_file.hpp"
#include "cli/subcommands.hpp"
#include "plot/chart_svg.hpp"
#include "tuner/gemv_comparison.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kBenchFooter =
    "Examples:\n"
    "  duoblas bench                                      sgemm and dgemm, 1024 and 2048\n"
    "  duoblas bench --precision d --shape 4096x64x4096   one shape of your program\n"
    "  duoblas bench --sweep mnk=256:4096:*2 --plot a.svg a row of sizes, and its picture\n"
    "  duoblas bench --routine gemv --precision d         y = op(A) x, in GB/s\n"
    "  duoblas bench --strategy cpu,hybrid --json a.json  two strategies, every number kept\n"
    "  duoblas bench --compare a.json                     the same again: what has changed?\n"
    "  duoblas bench --from a.json --plot a.svg           a picture of what was kept\n"
    "\n"
    "Strategies:\n"
    "  cpu          the CPU BLAS alone\n"
    "  gpu          the GPU alone, with the kernel that is fastest alone\n"
    "  simple       both; that kernel, then the split that is best for it\n"
    "  hybrid       both; kernel and split tuned together\n"
    "  gpu_cotuned  the GPU alone with the hybrid's kernel\n"
    "  cpu_all      the CPU BLAS on every core (cpu has half of them in stand-in mode)\n"
    "  prepared     of gemv: the GPU alone, with A in its memory from before the call\n"
    "  auto         what a call gets: CPU, GPU or both, as planned for its size";

struct BenchOptions {
  MeasurementOptions measurement;
  bool names_products = false;  ///< precisions or ops were asked for
  std::string from;
  std::string compare;
  std::string plot;
  std::string json;
  std::string csv;
};

void require_outputs(const BenchOptions& options) {
  if (options.json == "-" && options.csv == "-")
    throw UsageError("--json - and --csv -: the standard output takes one of them");
  require_picture_name(options.plot);
  require_writable_file(options.json);
  require_writable_file(options.csv);
}

ComparisonProblem problem_of(const ComparisonRow& r) {
  const Layout layout = r.layout == "row" ? Layout::row_major : Layout::column_major;
  if (is_bound_by_memory(r))
    return {r.precision, to_single_ops({r.ops}).front(), Op::none, layout, r.m, r.n, r.k,
            r.routine};
  const auto [op_a, op_b] = to_ops({r.ops}).front();
  return {r.precision, op_a, op_b, layout, r.m, r.n, r.k, r.routine};
}

// With an older record to compare with, its products are measured unless options name others.
BenchRequest request_of(const BenchOptions& options, const std::optional<BenchRecord>& then) {
  BenchRequest request = request_of(options.measurement, {{1024, 1024, 1024}, {2048, 2048, 2048}});
  if (!then || options.measurement.name_shapes() || options.names_products) return request;
  request.problems.clear();
  if (!then->rows.empty() && is_bound_by_memory(then->rows.front()) &&
      options.measurement.comparison.strategies == ComparisonOptions().strategies)
    request.strategies.strategies = gemv_strategy_names();
  for (const ProblemRows& rows : by_problem(then->rows)) {
    const ComparisonProblem p = problem_of(rows.front());
    if (p.routine == "gemv")
      require_memory({{p.m, 1, p.n}}, p.precision);
    else
      require_memory({{p.m, p.n, p.k}}, p.precision);
    request.problems.push_back(p);
  }
  return request;
}

BenchRecord measured_now(const BenchRequest& request, std::ostream& out) {
  Engine engine(settings_from_environment());
  print_machine(machine_of(context_json(engine)), out);
  out << std::flush;
  BenchRecord record = measure(engine, request, [&](const BenchRecord& so_far, const auto& rows) {
    print_problem(so_far, rows, out);
    out << std::flush;
  });
  print_legend(record, out);
  return record;
}

BenchRecord read_again(const std::string& path, std::ostream& out) {
  BenchRecord record = read_record(path);
  const BenchMachine machine = machine_of(record.context);
  out << "Measured " << (machine.date.empty() ? "before" : machine.date) << '\n';
  print_machine(machine, out);
  for (const ProblemRows& rows : by_problem(record.rows)) print_problem(record, rows, out);
  print_legend(record, out);
  return record;
}

std::string title_of(const BenchMachine& machine) {
  if (machine.device.empty()) return machine.cpu_model;
  return machine.device + (machine.standin ? " (a stand-in) and " : " and ") + machine.cpu_model;
}

void draw_picture(const BenchRecord& record, const std::string& path, std::ostream& out) {
  const auto charts = comparison_charts(record);
  if (charts.empty()) throw Error("there is nothing to draw: no strategy has a time");
  write_picture(picture_svg(charts, title_of(machine_of(record.context))), path);
  out << "Picture: " << path << '\n';
}

int run(const BenchOptions& options) {
  require_outputs(options);
  std::optional<BenchRecord> then;
  if (!options.compare.empty()) then = read_record(options.compare);
  std::ostream& out = options.json == "-" || options.csv == "-" ? std::cerr : std::cout;
  const BenchRecord record = options.from.empty() ? measured_now(request_of(options, then), out)
                                                  : read_again(options.from, out);
  if (!options.json.empty()) write_json(options.json, to_json(record));
  if (!options.csv.empty()) write_text(options.csv, to_csv(record));
  if (then) print_changes(*then, record, options.compare, out);
  if (!options.plot.empty()) draw_picture(record, options.plot, out);
  if (options.from.empty()) require_right_results(record);
  return done;
}

void add_record_options(CLI::App& command, BenchOptions& options) {
  CLI::Option* splits = command.add_flag(
      "--splits", options.measurement.splits,
      "Time both sides over the split too, of the largest product of each precision "
      "(--plot does)");
  CLI::Option* from = add_value(command, "--from", options.from, "FILE",
                                "Measure nothing: show and draw what --json has kept in this file")
                          ->excludes(splits);
  exclude_measuring(command, *from);
  add_value(command, "--compare", options.compare, "FILE",
            "Say what has changed since --json wrote this file; measures the same products "
            "unless told otherwise");
  add_value(command, "--plot", options.plot, "FILE",
            "Draw speed over size, time over the split and power over time into this .svg file");
  add_value(command, "--json", options.json, "FILE",
            "Write the numbers to this file (- for stdout)");
  add_value(command, "--csv", options.csv, "FILE", "The same as a table (- for stdout)");
}

}  // namespace

void add_bench(CLI::App& app, int& code) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Compare CPU-only, GPU-only and hybrid: speed, errors and power");
  add_measurement_options(*command, options->measurement, "1024,2048");
  add_record_options(*command, *options);
  command->footer(kBenchFooter);
  command->callback([options, command, &code] {
    options->names_products =
        command->count("--routine") + command->count("--precision") + command->count("--ops") > 0;
    options->measurement.splits |= !options->plot.empty();
    code = run(*options);
  });
}

}  // namespace duoblas::cli
