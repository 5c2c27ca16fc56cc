#include "cli/tune_options.hpp"
#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kTuneFooter =
    "Examples:\n"
    "  duoblas tune                                   sgemm and dgemm, under three minutes\n"
    "  duoblas tune --ops nn --budget 60              operands as they are, in a minute\n"
    "  duoblas tune --precision z --size 1024         complex doubles at one size\n"
    "  duoblas tune --shape 4096x64x4096 --ops nn,nt  a shape and ops of your program\n"
    "  duoblas tune --plot tuning.svg                 and a picture of the search\n"
    "  duoblas tune --curve tile_rows --plot a.svg    what is a parameter worth, the others as "
    "tuned?\n"
    "  duoblas tune --set pack_b=0 --set k_unroll=4   with parameters of your choice\n"
    "  duoblas tune --routine gemv                    kernels of y = op(A) x, once gemm is tuned\n"
    "  duoblas tune --routine gemv --curve lines --plot b.svg   and what one of theirs is worth\n"
    "  duoblas tune --objective energy --size 2048 --ops nn --budget 600   the least joules\n"
    "\n"
    "Kernels and splits are judged together, by the time of whole calls with CPU and GPU at work.\n"
    "A sample of energy takes as long as the sensors need (duoblas power lists them), up to a\n"
    "second: give few shapes and a large budget.\n"
    "The library uses the stored profile by itself from its next start on. A smaller budget tries\n"
    "fewer kernels. Interrupted, however that happens, the same command goes on where it stopped.\n"
    "\n"
    "Searches: halving (screens cheaply, compares the best few in turns), exhaustive, random,\n"
    "coordinate (one parameter after another), phased (unimodal, with growing stride), annealing.";

}  // namespace

void add_tune_options(CLI::App& command, TuneOptions& options) {
  add_value(command, "--routine", options.routine, "NAME",
            "What to tune: gemm; or the kernels of gemv, after gemm, for 60 s at most, with "
            "operands in the device's memory. Those take one --size (128 MiB unless given), "
            "--curve, --plot, and --ops of n and t, of the row-major matrix (c counts as t)")
      ->capture_default_str()
      ->check(CLI::IsMember({"gemm", "gemv"}));
  add_product_options(command, options.products,
                      "512, 1024, 2048 and 4096, and ten products that are not square");
  add_value(command, "--budget", options.budget, "SECONDS", "Seconds of tuning")
      ->capture_default_str();
  add_value(command, "--objective", options.objective, "NAME",
            "What is minimised: the time of a call, its energy, or their product (edp)")
      ->capture_default_str()
      ->check(CLI::IsMember({"throughput", "energy", "edp"}));
  command.add_flag(
      "--fresh", options.fresh,
      "Start over: forget what was tuned and measured before, but kernels that crashed");
  command.add_flag("--as-is", options.as_is,
                   "Do not wait for quiet moments: where other programs always work, tune for what "
                   "they leave, and do not doubt it");
  add_value(command, "--search", options.search, "NAME", "How to search")
      ->capture_default_str()
      ->check(CLI::IsMember(search_names()));
  add_value(command, "--kernels", options.max_kernels, "NUMBER",
            "The most kernels of a product's search")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  add_value(command, "--set", options.assignments, "NAME=VALUE",
            "Fix a kernel parameter and search the others; repeatable (duoblas kernel --list "
            "names them)");
  add_value(command, "--seed", options.seed, "NUMBER", "Of data and order")->capture_default_str();
  command.add_flag("--verbose", options.verbose,
                   "Show every product at the end, and name the kernels that were not used");
  add_value(command, "--plot", options.plot, "FILE",
            "Draw the split curve, the search's progress and single parameters' curves (of "
            "--routine these alone) into this .svg file");
  add_value(command, "--curve", options.curves, "FIELD",
            "Measure this kernel parameter's values around the best kernel of the largest "
            "product, too; repeatable; where nothing else is left to tune it is all that is "
            "done");
  add_value(command, "--journal", options.journal, "FILE",
            "Keep every measurement in this file, instead of beside the profile");
  add_value(command, "--json", options.json, "FILE",
            "Write the result to this file (- for stdout)");
  command.footer(kTuneFooter);
}

// Written so that it refuses NaN.
void require_budget(const TuneOptions& options) {
  if (!(options.budget > 0 && options.budget <= 86400))
    throw UsageError("--budget: give a number of seconds from above 0 to 86400");
}

TuneRequest request_of(const TuneOptions& options) {
  TuneRequest request;
  require_budget(options);
  request.precisions = to_precisions(options.products.precisions);
  request.ops = to_ops(options.products.ops);
  request.shapes = to_shapes(options.products.shapes, options.products.sizes, request.shapes);
  request.budget_seconds = options.budget;
  request.seed = options.seed;
  request.search = options.search;
  request.goal = goal_from(options.objective).value();
  request.max_kernels = options.max_kernels;
  request.as_is = options.as_is;
  request.fixed = fixed_fields(options.assignments);
  for (const Precision precision : request.precisions) require_memory(request.shapes, precision);
  return request;
}

void require_outputs(const TuneOptions& options) {
  require_picture_name(options.plot);
  require_writable_file(options.json);
}

}  // namespace duoblas::cli
