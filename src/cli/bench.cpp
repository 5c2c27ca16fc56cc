// duoblas bench: CPU-only, GPU-only and hybrid side by side, each verified.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/comparison_table.hpp"
#include "cli/json_file.hpp"
#include "cli/product_options.hpp"
#include "cli/subcommands.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  duoblas bench                                      sgemm and dgemm, 1024 and 2048\n"
    "  duoblas bench --precision d --shape 4096x64x4096   one shape of your program\n"
    "  duoblas bench --strategy cpu,hybrid --json out.json\n"
    "\n"
    "Strategies:\n"
    "  cpu          the CPU BLAS alone\n"
    "  gpu          the GPU alone, with the kernel that is fastest alone\n"
    "  simple       both; that kernel, then the split that is best for it\n"
    "  hybrid       both; kernel and split tuned together\n"
    "  gpu_cotuned  the GPU alone with the hybrid's kernel\n"
    "  cpu_all      the CPU BLAS on every core (cpu has half of them in stand-in mode)";

struct Options {
  ProductOptions products;
  std::vector<std::string> precisions = {"s", "d"};
  std::string layout = "row";
  ComparisonOptions comparison;
  std::string json;
};

std::vector<ComparisonProblem> problems_of(const Options& options) {
  const Layout layout = options.layout == "column" ? Layout::column_major : Layout::row_major;
  const auto shapes = to_shapes(options.products.shapes, options.products.sizes,
                                {{1024, 1024, 1024}, {2048, 2048, 2048}});
  std::vector<ComparisonProblem> problems;
  for (const Precision precision : to_precisions(options.products.precisions)) {
    for (const auto& [op_a, op_b] : to_ops(options.products.ops)) {
      require_memory(shapes, precision);
      for (const Shape& s : shapes) {
        problems.push_back({precision, op_a, op_b, layout, s.m, s.n, s.k});
      }
    }
  }
  return problems;
}

void describe_machine(Engine& engine, std::ostream& out) {
  const PlanMachine& machine = engine.machine();
  const bool standin = engine.settings().standin;
  if (const GpuSide* gpu = engine.gpu()) {
    out << (standin ? "GPU (a stand-in on half of the cores): " : "GPU: ") << gpu->info().name
        << '\n';
  } else {
    out << "GPU: none, so only the CPU is measured: " << engine.gpu_problem() << '\n';
  }
  const CpuConfig& cpu = machine.cpu_for(Precision::d);
  out << "CPU: " << engine.cpu().description(cpu) << ", " << cpu.threads
      << (cpu.threads == 1 ? " thread" : " threads") << '\n';
  if (!engine.profile_problem().empty()) out << engine.profile_problem() << '\n';
  if (engine.gpu() == nullptr || machine.is_tuned()) return;
  out << "Not tuned: there is no usable profile for this machine. ";
  if (machine.profile) {
    out << "Kernels and splits are those of\n"
        << title(*machine.profile) << ";\n\"duoblas tune\" finds better ones.\n";
  } else {
    out << "Built-in kernels and a split by\n"
           "measured rates are used; \"duoblas tune\" finds better ones.\n";
  }
}

int run(const Options& options) {
  const auto problems = problems_of(options);
  require_writable_file(options.json);
  Engine engine(settings_from_environment());
  std::ostream& out = options.json == "-" ? std::cerr : std::cout;
  describe_machine(engine, out);
  out << std::flush;
  const auto rows =
      compare(engine, problems, engine.machine().profile.value_or(Profile{}), options.comparison);
  print_comparison(rows, engine.settings().standin && engine.gpu() != nullptr, out);
  if (!options.json.empty()) {
    nlohmann::json context = context_json(engine);
    context["seed"] = options.comparison.seed;
    write_json(options.json, {{"context", std::move(context)}, {"results", comparison_json(rows)}});
  }
  for (const ComparisonRow& row : rows) {
    if (!(row.error < 1)) throw Error(row.strategy + " computed a wrong result");
  }
  return done;
}

}  // namespace

void add_bench(CLI::App& app, int& code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("bench", "Compare CPU-only, GPU-only and hybrid: speed and errors");
  add_product_options(*command, options->products, "1024,2048");
  command->add_option("--layout", options->layout, "Storage order of the matrices")
      ->capture_default_str()
      ->check(CLI::IsMember({"row", "column"}))
      ->type_name("row|column");
  command
      ->add_option("--strategy", options->comparison.strategies,
                   "Which to compare; all unless given")
      ->delimiter(',')
      ->check(CLI::IsMember(ComparisonOptions().strategies))
      ->type_name("NAME,...");
  command->add_option("--rounds", options->comparison.rounds, "Timings of each")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000))
      ->type_name("NUMBER");
  command
      ->add_option("--seconds", options->comparison.seconds_per_problem,
                   "No new round after this time, per problem")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0))
      ->type_name("SECONDS");
  command->add_option("--seed", options->comparison.seed, "Of data and order")
      ->capture_default_str()
      ->type_name("NUMBER");
  command->add_option("--json", options->json, "Write the numbers to this file (- for stdout)")
      ->type_name("FILE");
  command->footer(kFooter);
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace duoblas::cli
