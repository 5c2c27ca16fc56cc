// What each step from a naive kernel to a fast one brings on a device: the steps of the myGEMM
// tutorial as points of our kernel space, and ours beyond it (bench/ladder_steps.hpp).
// Device-resident operands, the device's clock, steps taking turns.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>

#include <duoblas/error.hpp>

#include "bench/ladder_climb.hpp"
#include "bench/ladder_plot.hpp"
#include "bench/ladder_steps.hpp"
#include "bench/ladder_table.hpp"
#include "opencl/choose_device.hpp"
#include "problem/op_letter.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_kernel_ladder [--precision s] [--size N] [--ops nn] [--device NAME]
                           [--rounds 9] [--family auto] [--plot FILE]

  --precision  s, d, c or z
  --size       m = n = k; default 4096 on a GPU, on a CPU 1024 (panel) or 256 (tiled: slow there)
  --ops        op(A) and op(B), each n, t or c
  --device     index or part of the name of an OpenCL device; default: the first GPU, else a CPU
  --rounds     how often each step is timed
  --family     tiled (GPUs), panel (CPU devices), or auto: what suits the device
  --plot       draws the ladder into FILE.svg or FILE.png; needs gnuplot
)";

struct Options {
  std::map<std::string, std::string> texts = {
      {"--precision", "s"}, {"--size", ""},       {"--ops", "nn"}, {"--device", ""},
      {"--rounds", "9"},    {"--family", "auto"}, {"--plot", ""}};
  const std::string& operator[](const std::string& name) const { return texts.at(name); }
};

Options parsed(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const auto option = options.texts.find(argv[i]);
    if (option == options.texts.end() || i + 1 == argc)
      throw SettingError(std::string(argv[i]) + ": unknown, or without a value; try --help");
    option->second = argv[i + 1];
  }
  return options;
}

int positive(const Options& options, const std::string& name) {
  const std::string& text = options[name];
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < 1)
    throw SettingError(name + " takes a positive number, not \"" + text + "\"");
  return value;
}

Precision precision_of(const Options& options) {
  const std::string& text = options["--precision"];
  for (const Precision p : {Precision::s, Precision::d, Precision::c, Precision::z})
    if (text == std::string(1, letter(p))) return p;
  throw SettingError("--precision is one of s, d, c, z, not \"" + text + "\"");
}

Op op_of(const std::string& ops, std::size_t at) {
  const auto op = ops.size() == 2 ? op_from(ops[at]) : std::nullopt;
  if (!op) throw SettingError("--ops is two letters of n, t, c, not \"" + ops + "\"");
  return *op;
}

bool is_panel(const Options& options, const DeviceLimits& limits) {
  const std::string& family = options["--family"];
  if (family != "auto" && family != "tiled" && family != "panel")
    throw SettingError("--family is auto, tiled or panel, not \"" + family + "\"");
  return family == "panel" || (family == "auto" && limits.is_cpu);
}

int size_of(const Options& options, bool panel, bool on_cpu) {
  if (!options["--size"].empty()) return positive(options, "--size");
  if (!on_cpu) return 4096;
  return panel ? 1024 : 256;
}

void run(const Options& options) {
  const std::string& plot = options["--plot"];
  if (!plot.empty()) check_plot(plot);
  const Precision precision = precision_of(options);
  const Op op_a = op_of(options["--ops"], 0), op_b = op_of(options["--ops"], 1);
  const int rounds = positive(options, "--rounds");
  std::string why;
  const auto chosen = cl::choose_device(cl::list_devices(&why), options["--device"], true, &why);
  if (!chosen) throw DeviceError(why);
  if (is_double(precision) && !chosen->info.has_fp64)
    throw SettingError(chosen->info.name + " has no double precision");
  OpenedDevice device(*chosen, "", "", true);
  const bool on_cpu = device.limits.is_cpu, panel = is_panel(options, device.limits);
  const int n = size_of(options, panel, on_cpu);

  const std::string heading = std::string(1, letter(precision)) + "gemm " + options["--ops"] +
                              ", n = " + std::to_string(n) + ", " + (panel ? "panel" : "tiled") +
                              " kernels" + (on_cpu ? ", a CPU device" : "");
  std::cout << chosen->info.name << '\n' << heading << ", " << rounds << " interleaved rounds\n";
  if (on_cpu && !panel) std::cout << "Tiled kernels are made for GPUs: on a CPU, all are slow.\n";
  std::cout << '\n' << std::flush;
  const std::vector<ClimbedStep> steps =
      climb(panel ? panel_ladder(precision, device.limits) : tiled_ladder(precision, device.limits),
            dense_problem(precision, op_a, op_b, n, n, n), device, rounds);
  print_ladder(steps, std::cout);
  if (plot.empty()) return;
  plot_ladder(steps, heading + "\n" + chosen->info.name, plot);
  std::cout << "\nThe picture: " << plot << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string(argv[1]) == "--help") {
      std::cout << kUsage;
      return 0;
    }
    run(parsed(argc, argv));
    return 0;
  } catch (const SettingError& error) {
    std::cerr << "bench_kernel_ladder: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "bench_kernel_ladder: " << error.what() << '\n';
    return 1;
  }
}
