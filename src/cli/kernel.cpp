// duoblas kernel: the exact source of a GPU kernel, with its options and parameters explained.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/json_file.hpp"
#include "cli/subcommands.hpp"
#include "gpu/kernel_source.hpp"
#include "plan/kernel_defaults.hpp"
#include "plan/kernel_fields.hpp"
#include "plan/kernel_rules.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  duoblas kernel                                      what sgemm nn uses here\n"
    "  duoblas kernel --precision d --ops nt               the same for dgemm with B transposed\n"
    "  duoblas kernel --family tiled --set k_unroll=16     a point of the kernel space\n"
    "  duoblas kernel --list                               the parameters and their values\n"
    "\n"
    "What is printed is a complete OpenCL C file: parameters and compiler options as comments, "
    "then\n"
    "the source. The tuned kernel is shown where this machine has a profile, else the built-in "
    "one.";

struct Options {
  std::string precision = "s";
  std::string ops = "nn";
  std::string family;
  std::vector<std::string> assignments;
  bool list = false;
  std::string json;
};

// Where no device of the family is at hand: what OpenCL devices of its kind have at least.
DeviceLimits typical_limits(KernelFamily family) {
  DeviceLimits limits;
  limits.is_cpu = family == KernelFamily::panel;
  limits.max_work_group_size = 256;
  limits.local_memory_bytes = limits.is_cpu ? 0 : std::size_t{32} << 10;
  limits.max_allocation_bytes = std::size_t{1} << 30;
  limits.vector_bytes = limits.is_cpu ? 32 : 16;
  return limits;
}

struct StartingPoint {
  KernelParams params;
  DeviceLimits limits;
  std::string origin;
};

StartingPoint starting_point(Engine& engine, const Options& options, const KernelVariant& variant) {
  const GpuSide* gpu = engine.gpu();
  const bool cpu_device = gpu != nullptr && gpu->limits().is_cpu;
  const KernelFamily here = cpu_device ? KernelFamily::panel : KernelFamily::tiled;
  KernelFamily family = here;
  if (options.family == "panel") family = KernelFamily::panel;
  if (options.family == "tiled") family = KernelFamily::tiled;

  if (gpu == nullptr || family != here) {
    const DeviceLimits limits = typical_limits(family);
    return {default_kernel(variant.precision, limits), limits,
            std::string("built-in kernel for a typical ") + (limits.is_cpu ? "CPU" : "GPU") +
                " device"};
  }
  if (const auto& profile = engine.machine().profile) {
    GemmProblem problem;
    problem.precision = variant.precision;
    problem.op_a = variant.op_a;
    problem.op_b = variant.op_b;
    problem.m = problem.n = problem.k = 2048;
    const TunedPoint* point = nearest_point(*profile, problem);
    if (point != nullptr) {
      return {point->hybrid.kernel, gpu->limits(), "co-tuned kernel for " + gpu->info().name};
    }
  }
  return {default_kernel(variant.precision, gpu->limits()), gpu->limits(),
          "built-in kernel for " + gpu->info().name};
}

void assign(KernelParams& params, const std::string& assignment) {
  const auto equals = assignment.find('=');
  const std::string field_name = assignment.substr(0, equals);
  for (const KernelField& field : kernel_fields()) {
    if (field.name != field_name) continue;
    std::string legal;
    for (const int value : field.values) {
      const std::string text = std::to_string(value);
      if (equals != std::string::npos && assignment.substr(equals + 1) == text) {
        field.set(params, value);
        return;
      }
      legal += (legal.empty() ? "" : ", ") + text;
    }
    throw UsageError("--set " + assignment + ": give " + field_name + "=VALUE with one of " +
                     legal);
  }
  throw UsageError("--set " + assignment +
                   ": there is no such parameter; duoblas kernel --list names them");
}

void list_fields(std::ostream& out) {
  for (const KernelField& field : kernel_fields()) {
    out << field.name << ": " << field.meaning << "\n    one of";
    for (const int value : field.values) out << ' ' << value;
    out << '\n';
  }
}

void print_kernel(const KernelVariant& variant, const std::string& origin,
                  const std::string& compiled_with, const std::string& source, std::ostream& out) {
  out << "// " << letter(variant.precision) << "gemm: " << origin << "\n//\n";
  for (const KernelField& field : kernel_fields()) {
    out << "// " << field.name << " = " << field.get(variant.params) << "  (" << field.meaning
        << ")\n";
  }
  out << "//\n// A is " << (packs_a(variant) ? "packed into tile order first" : "read in place")
      << ", B is " << (packs_b(variant) ? "packed into tile order first" : "read in place")
      << ".\n// Compiled with: " << compiled_with << "\n\n"
      << source;
  if (!source.empty() && source.back() != '\n') out << '\n';
}

int run(const Options& options) {
  if (options.list) {
    list_fields(std::cout);
    return done;
  }
  KernelVariant variant;
  variant.precision = to_precisions({options.precision}).front();
  const auto ops = to_ops({options.ops}).front();
  variant.op_a = ops.first;
  variant.op_b = ops.second;

  Engine engine(settings_from_environment());
  const StartingPoint start = starting_point(engine, options, variant);
  variant.params = start.params;
  for (const std::string& assignment : options.assignments) assign(variant.params, assignment);
  const std::string origin =
      start.origin + (options.assignments.empty() ? "" : ", with changes of yours");
  if (const KernelRule* rule = violated_rule(variant.params, variant.precision, start.limits)) {
    throw UsageError("this kernel cannot be had: rule " + std::string(rule->name) + ": " +
                     std::string(rule->reason));
  }

  const std::string compiled_with = kernel_options(variant);
  const std::string source = kernel_source(variant.params, engine.settings().kernel_dir);
  if (options.json != "-") print_kernel(variant, origin, compiled_with, source, std::cout);
  if (!options.json.empty()) {
    write_json(options.json, {{"context", context_json(engine)},
                              {"origin", origin},
                              {"precision", options.precision},
                              {"ops", options.ops},
                              {"params", to_fields(variant.params)},
                              {"options", compiled_with},
                              {"source", source}});
  }
  return done;
}

}  // namespace

void add_kernel(CLI::App& app, int& code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("kernel", "Print a GPU kernel's source, its options and parameters");
  command->add_option("--precision", options->precision, "s, d, c or z")
      ->capture_default_str()
      ->type_name("P");
  command->add_option("--ops", options->ops, "What is done to A and B: n, t or c")
      ->capture_default_str()
      ->type_name("OPS");
  command
      ->add_option("--family", options->family,
                   "panel (for CPU devices) or tiled (for GPUs); this machine's unless given")
      ->check(CLI::IsMember({"panel", "tiled"}))
      ->type_name("NAME");
  command->add_option("--set", options->assignments, "Change a parameter; repeatable")
      ->type_name("NAME=VALUE");
  command->add_flag("--list", options->list, "List the parameters and their legal values");
  command->add_option("--json", options->json, "Write it to this file too (- for stdout)")
      ->type_name("FILE");
  command->footer(kFooter);
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace duoblas::cli
