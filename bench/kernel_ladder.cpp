// What each step from a naive kernel to a fast one brings on a device: the steps of the myGEMM
// tutorial as points of our kernel space, and ours beyond it (bench/ladder_steps.hpp).
// Device-resident operands, the device's clock, steps taking turns.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/ladder_ablation.hpp"
#include "bench/ladder_climb.hpp"
#include "bench/ladder_report.hpp"
#include "bench/ladder_steps.hpp"
#include "bench/named_options.hpp"
#include "bench/peer_clblast.hpp"
#include "bench/peer_cublas.hpp"
#include "opencl/choose_device.hpp"
#include "problem/op_letter.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_kernel_ladder [--precision s] [--size N] [--ops nn] [--device NAME]
                           [--rounds 9] [--family auto] [--plot FILE]
                           [--peers cublas,clblast] [--ablate no]

  --precision  s, d, c or z
  --size       m = n = k; default 4096 on a GPU, on a CPU 1024 (panel) or 256 (tiled: slow there)
  --ops        op(A) and op(B), each n, t or c
  --device     index or part of the name of an OpenCL device; default: the first GPU, else a CPU
  --rounds     how often each step is timed
  --family     tiled (GPUs), panel (CPU devices), or auto: what suits the device
  --plot       draws the ladder into FILE.svg or FILE.png; needs gnuplot
  --peers      other libraries at the same product, where they are installed; none: nobody
  --ablate     yes: what limits the fastest step? Times it without loads of A, of B, of both, with
               arithmetic only, without stores; tiled: also with C read and written per slice of k
)";

Op op_of(const std::string& ops, std::size_t at) {
  const auto op = ops.size() == 2 ? op_from(ops[at]) : std::nullopt;
  if (!op) throw SettingError("--ops is two letters of n, t, c, not \"" + ops + "\"");
  return *op;
}

bool is_panel(const NamedOptions& options, const DeviceLimits& limits) {
  const std::string& family = options["--family"];
  if (family != "auto" && family != "tiled" && family != "panel")
    throw SettingError("--family is auto, tiled or panel, not \"" + family + "\"");
  return family == "panel" || (family == "auto" && limits.is_cpu);
}

int size_of(const NamedOptions& options, bool panel, bool on_cpu) {
  if (!options["--size"].empty()) return positive(options, "--size");
  if (!on_cpu) return 4096;
  return panel ? 1024 : 256;
}

std::vector<std::unique_ptr<Peer>> peers_of(const NamedOptions& options, OpenedDevice& device) {
  std::vector<std::unique_ptr<Peer>> peers;
  for (const std::string& name : list_items(options["--peers"])) {
    if (name == "none") continue;
    if (name != "cublas" && name != "clblast")
      throw SettingError("--peers takes cublas, clblast or none, not \"" + name + "\"");
    std::string why_not;
    auto peer = name == "cublas" ? make_cublas_peer(why_not)
                                 : make_clblast_peer(device.context, device.queue, why_not);
    if (peer != nullptr)
      peers.push_back(std::move(peer));
    else
      std::cout << "no " << name << ": " << why_not << '\n';
  }
  return peers;
}

bool wants_ablation(const NamedOptions& options) {
  const std::string& text = options["--ablate"];
  if (text != "yes" && text != "no")
    throw SettingError("--ablate is yes or no, not \"" + text + "\"");
  return text == "yes";
}

// Null if no step was timed.
const ClimbedStep* fastest(const std::vector<ClimbedStep>& steps) {
  const ClimbedStep* best = nullptr;
  for (const ClimbedStep& step : steps)
    if (step.refused.empty() && (best == nullptr || step.gflops > best->gflops)) best = &step;
  return best;
}

int run(const NamedOptions& options) {
  const bool ablates = wants_ablation(options);
  const std::string& plot = options["--plot"];
  if (!plot.empty()) check_plot(plot);
  const Precision precision = precision_named(options["--precision"]);
  const Op op_a = op_of(options["--ops"], 0), op_b = op_of(options["--ops"], 1);
  const int rounds = positive(options, "--rounds");
  std::string why;
  const auto chosen = cl::choose_device(cl::list_devices(&why), options["--device"], true, &why);
  if (!chosen) throw DeviceError(why);
  if (is_double(precision) && !chosen->info.has_fp64)
    throw SettingError(chosen->info.name + " has no double precision");
  OpenedDevice device(*chosen, {}, true);
  const bool on_cpu = device.limits.is_cpu, panel = is_panel(options, device.limits);
  const int n = size_of(options, panel, on_cpu);

  const std::string heading = std::string(1, letter(precision)) + "gemm " + options["--ops"] +
                              ", n = " + std::to_string(n) + ", " + (panel ? "panel" : "tiled") +
                              " kernels" + (on_cpu ? ", a CPU device" : "");
  std::cout << chosen->info.name << '\n' << heading << ", " << rounds << " interleaved rounds\n";
  if (on_cpu && !panel) std::cout << "Tiled kernels are made for GPUs: on a CPU, all are slow.\n";
  std::cout << '\n' << std::flush;
  const PeerProblem problem = dense_problem(precision, op_a, op_b, n, n, n);
  const auto peers = peers_of(options, device);
  const Climbed climbed =
      climb(panel ? panel_ladder(precision, device.limits) : tiled_ladder(precision, device.limits),
            peers, problem, device, rounds);
  print_ladder(climbed, std::cout);
  const ClimbedStep* best = fastest(climbed.steps);
  if (ablates && best != nullptr)
    print_ablation(best->step.kernel, ablate(best->step.kernel, problem, *chosen, rounds),
                   std::cout);
  if (plot.empty()) return 0;
  plot_ladder(climbed, heading + "\n" + chosen->info.name, plot);
  std::cout << "\nThe picture: " << plot << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_kernel_ladder", kUsage,
                        NamedOptions({{"--precision", "s"},
                                      {"--size", ""},
                                      {"--ops", "nn"},
                                      {"--device", ""},
                                      {"--rounds", "9"},
                                      {"--family", "auto"},
                                      {"--plot", ""},
                                      {"--peers", "cublas,clblast"},
                                      {"--ablate", "no"}}),
                        argc, argv, run);
}
