// gemv: bytes a second. On the device, operands in its memory, kernels of ours in turns with
// cuBLAS's; and of the host's memory, the CPU alone, the GPU alone and both.
//
//   bench_gemv --precision s,d --size 4096,8192 --ops n,t [--sweep yes] [--switches yes] [--host
//   yes]
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/device_stopwatch.hpp"
#include "bench/stream_bench.hpp"
#include "gpu/streams/gemv.hpp"
#include "timing/median.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_gemv [--precision s,d] [--size 1024,4096,8192] [--ops n,t] [--rounds 9]
                  [--sweep no] [--switches no] [--host no] [--device NAME] [--top 3]
                  [--kernels "v4 8x64 lines 1 unroll 8;..."]

  --sweep yes  tries kernels around the default one, and prints the best
  --kernels    these beside the default one, by their descriptions, all of them in turns
  --switches yes  each kernel also with its sizes compiled in, with A as an image, and both
  --host yes   of the host's memory instead, through the engine: its settings are the environment's

GB/s of A, x and y, each once; medians of turns.
)";

struct Operands {
  GemvProblem problem;
  std::vector<char> a, x, y;
};

Operands operands_of(Precision precision, char op, std::int64_t n) {
  Operands o;
  GemvProblem& p = o.problem;
  p.precision = precision;
  p.transposes = op != 'n';
  p.conjugates = op == 'c' && is_complex(precision);
  p.rows = p.columns = p.lda = n;
  const auto size = static_cast<std::size_t>(n);
  o.a = random_numbers(size * size, precision, 1);
  o.x = random_numbers(size, precision, 2);
  o.y.resize(size * element_size(precision));
  p.a = o.a.data();
  p.x = {o.x.data(), 1};
  p.y = {o.y.data(), 1};
  return o;
}

std::vector<GemvKernel> candidates(const DeviceLimits& device, Precision precision, bool transposes,
                                   bool sweep) {
  const GemvKernel first = default_gemv_kernel(device, precision, transposes);
  std::vector<GemvKernel> all = {first};
  if (!sweep) return all;
  const bool is_wide = !device.is_cpu;
  for (const int width : {first.vector_width, first.vector_width / 2})
    for (const int across : !is_wide     ? std::vector{1}
                            : transposes ? std::vector{4, 8, 16, 32}
                                         : std::vector{16, 32, 64, 128})
      for (const int teams :
           transposes&& is_wide ? std::vector{4, 16, 32, 64, 128} : std::vector{1})
        for (const int lines : {1, 2, 4})
          for (const int unroll : {4, 8, 16}) {
            const GemvKernel kernel{width, across, teams, lines, unroll};
            const bool is_small = across * teams <= 1024;
            if (width > 0 && is_small && is_legal(kernel, device, precision, transposes) &&
                kernel != first)
              all.push_back(kernel);
          }
  return all;
}

// The default kernel and the named ones. Prints a line for each that is not legal on this device.
std::vector<GemvKernel> named_kernels(std::string texts, const DeviceLimits& device,
                                      const GemvProblem& p) {
  std::vector<GemvKernel> all = {default_gemv_kernel(device, p.precision, p.transposes)};
  while (!texts.empty()) {
    const auto end = texts.find(';');
    const GemvKernel kernel = gemv_kernel_from(texts.substr(0, end));
    texts = end == std::string::npos ? "" : texts.substr(end + 1);
    if (!is_legal(kernel, device, p.precision, p.transposes))
      std::printf("  -  %s: not legal here\n", describe(kernel).c_str());
    else if (kernel != all.front())
      all.push_back(kernel);
  }
  return all;
}

std::vector<GemvKernel> with_switches(const std::vector<GemvKernel>& kernels,
                                      const DeviceLimits& device, const GemvProblem& p) {
  std::vector<GemvKernel> all;
  for (const int inlined : {0, 1})
    for (const int image : {0, 1})
      for (GemvKernel kernel : kernels) {
        kernel.inline_sizes = inlined;
        kernel.image = image;
        if (is_legal(kernel, device, p.precision, p.transposes)) all.push_back(kernel);
      }
  return all;
}

class OnDevice {
 public:
  OnDevice(OpenedDevice& device, VectorPeer* peer, const Operands& operands)
      : device_(device),
        peer_(peer),
        problem_(operands.problem),
        stopwatch_(device.context, device.queue) {
    const std::size_t element = element_size(problem_.precision);
    bound_.a.buffer = uploaded(device, operands.a);
    bound_.a.pitch_bytes = static_cast<std::size_t>(problem_.lda) * element;
    bound_.x = {uploaded(device, operands.x), 0, 1};
    bound_.y = {uploaded(device, operands.y), 0, 1};
    bound_.aligned = true;
    if (peer != nullptr) peer->prepare(problem_, operands.a, operands.x);
    calls_ = std::clamp(static_cast<int>(4e9 / traffic_bytes(problem_)), 4, 200);
  }

  double seconds(const GemvKernel& kernel, int calls) {
    GemvScratch scratch;
    submit_gemv(device_, problem_, kernel, bound_, scratch);
    stopwatch_.start();
    cl::Event last;
    for (int call = 0; call < calls; ++call)
      last = submit_gemv(device_, problem_, kernel, bound_, scratch);
    return stopwatch_.seconds_until(last) / calls;
  }

  void run(const std::vector<GemvKernel>& kernels, std::size_t top, int rounds) {
    const auto ranked = fastest_kernels(
        kernels, top, [this](const GemvKernel& kernel) { return seconds(kernel, calls_ / 4 + 1); });
    std::vector<std::vector<double>> times(ranked.size() + 1);
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < ranked.size(); ++i)
        times[i].push_back(seconds(ranked[i], calls_));
      if (peer_ != nullptr) times.back().push_back(peer_->seconds_per_call(calls_));
    }
    const double bytes = traffic_bytes(problem_);
    const double of_peer = peer_ != nullptr ? upper_median(times.back()) : 0;
    if (peer_ != nullptr) std::printf("  %7.0f GB/s  cuBLAS\n", bytes / of_peer * 1e-9);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      const double own = upper_median(times[i]);
      std::printf("  %7.0f GB/s  %s", bytes / own * 1e-9, describe(ranked[i]).c_str());
      if (peer_ != nullptr) std::printf("  %.3f of cuBLAS", of_peer / own);
      std::printf("\n");
    }
    std::fflush(stdout);
  }

 private:
  OpenedDevice& device_;
  VectorPeer* peer_;
  GemvProblem problem_;
  GemvOperands bound_;
  DeviceStopwatch stopwatch_;
  int calls_ = 1;
};

int run(const NamedOptions& options) {
  StreamBench bench(options);
  for (const std::string& precision : list_items(options["--precision"]))
    for (const std::string& op : list_items(options["--ops"]))
      for (const std::string& size : list_items(options["--size"])) {
        const Operands operands =
            operands_of(precision_named(precision), op.at(0), std::stol(size));
        std::printf("%sgemv %s n = %s\n", precision.c_str(), op.c_str(), size.c_str());
        if (bench.strategies) {
          bench.strategies->compare(operands.problem, bench.rounds).print();
          continue;
        }
        const GemvProblem& p = operands.problem;
        auto kernels = candidates(bench.device->limits, p.precision, p.transposes, bench.sweep);
        std::size_t top = bench.top;
        if (!options["--kernels"].empty()) {
          kernels = named_kernels(options["--kernels"], bench.device->limits, p);
          top = kernels.size();
        }
        if (options["--switches"] == "yes")
          kernels = with_switches(kernels, bench.device->limits, p);
        OnDevice(*bench.device, bench.peer.get(), operands).run(kernels, top, bench.rounds);
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_gemv", kUsage,
                        stream_options({{"--size", "1024,4096,8192"},
                                        {"--ops", "n,t"},
                                        {"--switches", "no"},
                                        {"--kernels", ""}}),
                        argc, argv, run);
}
