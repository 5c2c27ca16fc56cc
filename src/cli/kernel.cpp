// duoblas kernel: the exact source of a GPU kernel, with its options and parameters explained, or
// what the device's compiler made of it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/json_file.hpp"
#include "cli/kernel_choice.hpp"
#include "cli/kernel_explained.hpp"
#include "cli/subcommands.hpp"
#include "gpu/product/covering_products.hpp"
#include "kernel_space/kernel_fields.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kKernelFooter =
    "Examples:\n"
    "  duoblas kernel                                      what sgemm nn uses here\n"
    "  duoblas kernel --precision d --ops nt               the same for dgemm with B transposed\n"
    "  duoblas kernel --family tiled --set k_unroll=16     a point of the kernel space\n"
    "  duoblas kernel --set inline_sizes=1 --size 4096     one for a single size\n"
    "  duoblas kernel --asm                                what the driver makes of it\n"
    "  duoblas kernel --verify                             does it compute what it should?\n"
    "  duoblas kernel --list                               the parameters, values and rules\n"
    "\n"
    "What is printed is a complete OpenCL C file: parameters and compiler options as comments, "
    "then\n"
    "the source. The tuned kernel is shown where this machine has a profile, else the built-in "
    "one.\n"
    "--asm prints what the driver calls its binary: PTX on NVIDIA. Where it is no text, --output "
    "FILE\n"
    "keeps it for objdump or the driver's tools.";

struct KernelOptions {
  KernelRequest request;
  bool list = false;
  bool assembly = false;
  bool verify = false;
  std::string output;
  std::string json;
};

nlohmann::json kernel_json(Engine& engine, const KernelOptions& options, const ChosenKernel& kernel,
                           const std::vector<KernelFile>& files) {
  nlohmann::json names = nlohmann::json::array();
  std::string source;
  for (const KernelFile& file : files) {
    names.push_back(file.name);
    source += file.text;
  }
  return {{"context", context_json(engine)},
          {"origin", kernel.origin},
          {"precision", options.request.precision},
          {"ops", options.request.ops},
          {"params", to_fields(kernel.variant.params)},
          {"aligned", kernel.variant.rows != Rows::anyhow},
          {"kernels", kernels_of(kernel.variant)},
          {"options", kernel_options(kernel.variant)},
          {"files", names},
          {"source", source}};
}

GpuSide& device_of(Engine& engine) {
  if (GpuSide* gpu = engine.gpu()) return *gpu;
  throw Error("there is no device to compile for: " + engine.facts().gpu_problem() +
              " (DUOBLAS_STANDIN=1 lets PoCL stand in for a GPU)");
}

// If a tiled kernel reads operands in place, its program depends on how their rows are aligned.
int verify(GpuSide& gpu, const ChosenKernel& kernel, std::ostream& out) {
  out << "Tried on small products of random numbers: " << kernel.origin << '\n';
  int code = done;
  const auto try_rows = [&](Rows rows, const char* words) {
    KernelVariant variant = kernel.variant;
    variant.rows = rows;
    if (!has_products(normalised(variant))) return;  // rows of compiled-in sizes end elsewhere
    const std::string wrong = gpu.try_kernel(variant);
    out << "  " << words << ": " << (wrong.empty() ? "right" : wrong) << '\n';
    if (!wrong.empty()) code = failed;
  };
  KernelVariant anyhow = kernel.variant;
  anyhow.rows = Rows::anyhow;
  if (normalised(anyhow).rows == Rows::whole) {
    try_rows(Rows::whole, "operands anywhere");
  } else {
    try_rows(Rows::whole, "rows that begin and end at 16 bytes");
    try_rows(Rows::aligned, "rows that begin at 16 bytes");
    try_rows(Rows::anyhow, "rows anywhere");
  }
  return code;
}

std::vector<unsigned char> binary_of(GpuSide& gpu, const KernelVariant& variant) {
  try {
    return gpu.binary(variant);
  } catch (const DeviceError& error) {
    std::cerr << error.what() << '\n';
    throw Error("this kernel cannot be built for " + gpu.info().name +
                ", which said what is above: change it with --set, or its files "
                "(DUOBLAS_KERNEL_DIR)");
  }
}

// What the device's compiler made of it: to the file, or shown where it is text.
void print_assembly(GpuSide& gpu, const ChosenKernel& kernel, const std::string& path) {
  const std::vector<unsigned char> binary = binary_of(gpu, kernel.variant);
  std::string text(binary.begin(), binary.end());
  if (!path.empty()) return write_text(path, text);
  text.erase(text.find_last_not_of('\0') + 1);
  const bool is_text = std::ranges::all_of(
      text, [](unsigned char c) { return (c >= 0x20 && c < 0x7f) || std::isspace(c); });
  if (text.empty() || !is_text)
    throw Error("the binary of " + gpu.info().name +
                " is no text: write it to a file with --output FILE, for objdump or the driver's "
                "tools");
  std::cout << text << (text.ends_with('\n') ? "" : "\n");
}

int run(const KernelOptions& options) {
  if (options.list) {
    print_kernel_space(std::cout);
    return done;
  }
  Engine engine(settings_from_environment());
  const ChosenKernel kernel = chosen_kernel(engine, options.request);
  if (options.assembly) {
    print_assembly(device_of(engine), kernel, options.output);
    return done;
  }
  if (options.verify) return verify(device_of(engine), kernel, std::cout);
  const auto files = kernel_files(kernel.variant.params, engine.settings().kernel_dir);
  if (options.json != "-") print_kernel(kernel, files, std::cout);
  if (!options.json.empty()) write_json(options.json, kernel_json(engine, options, kernel, files));
  return done;
}

}  // namespace

void add_kernel(CLI::App& app, int& code) {
  auto options = std::make_shared<KernelOptions>();
  KernelRequest& request = options->request;
  CLI::App* command =
      app.add_subcommand("kernel", "Print a GPU kernel's source, its options and parameters");
  add_value(*command, "--precision", request.precision, "P", "s, d, c or z")->capture_default_str();
  add_value(*command, "--ops", request.ops, "OPS", "What is done to A and B: n, t or c")
      ->capture_default_str();
  add_value(*command, "--family", request.family, "NAME",
            "panel (for CPU devices) or tiled (for GPUs); this machine's unless given")
      ->check(CLI::IsMember({"panel", "tiled"}));
  add_value(*command, "--set", request.assignments, "NAME=VALUE", "Change a parameter; repeatable");
  add_value(*command, "--size", request.size, "MxNxK",
            "Which tuned kernel, and what inline_sizes compiles in (row-major)");
  command->add_flag("--unaligned", request.unaligned,
                    "For operands whose rows do not start at multiples of 16 bytes");
  auto* list = command->add_flag("--list", options->list,
                                 "List the parameters, their legal values and the rules");
  auto* json = add_value(*command, "--json", options->json, "FILE",
                         "Write it to this file too (- for stdout)");
  auto* assembly =
      command->add_flag("--asm", options->assembly, "Print what the device's compiler makes of it")
          ->excludes(list)
          ->excludes(json);
  command
      ->add_flag("--verify", options->verify,
                 "Compile it, compute small products and compare; exit code 1 where one is wrong")
      ->excludes(list)
      ->excludes(json)
      ->excludes(assembly);
  add_value(*command, "--output", options->output, "FILE",
            "With --asm: the whole binary goes to this file")
      ->needs(assembly);
  command->footer(kKernelFooter);
  command->callback([options, &code] {
    options->request.to_build = options->assembly || options->verify;
    code = run(*options);
  });
}

}  // namespace duoblas::cli
