// Strided batches of square products. Resident on the device against cuBLAS's strided batch, or
// (--host) of host memory: each side alone, and both.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "bench/batch_peers.hpp"
#include "bench/batched_host.hpp"
#include "bench/batched_sweep.hpp"
#include "bench/kernel_assignments.hpp"
#include "bench/kernel_points.hpp"
#include "bench/named_options.hpp"
#include "bench/result_difference.hpp"
#include "kernel_space/batched_kernels.hpp"
#include "opencl/choose_device.hpp"
#include "timing/median.hpp"

namespace {

using namespace duoblas;

constexpr const char* usage =
    "bench_batched [--precision s,d] [--size 16,32,64,128,256] [--ops nn] [--products 0]\n"
    "  [--megabytes 256]   operands of as many products, where --products is 0\n"
    "  [--kernel \"family=1 tile_rows=4 ...;...\"]  kernels to compare, instead of the table's\n"
    "  [--points FILE]     the same, one a line\n"
    "  [--sweep 0]         seconds to look for kernels in, per precision and size; 0: none\n"
    "  [--top 3] [--rounds 9] [--peers cublas] [--device NAME]\n"
    "  [--host 0]          1: host memory instead, 1000 products unless told otherwise\n"
    "  [--account 0]       1: with --host, what a call takes besides its products\n"
    "The device is the first GPU; with --host that of the environment (DUOBLAS_STANDIN=1).";

long number(const std::string& text, const char* name) {
  std::size_t read = 0;
  long value = -1;
  try {
    value = std::stol(text, &read);
  } catch (const std::exception&) {
    read = 0;
  }
  if (read == 0 || read != text.size() || value < 0)
    throw SettingError(std::string(name) + " wants a whole number, not \"" + text + '"');
  return value;
}

SquareBatch batch_of(const NamedOptions& options, char precision, const std::string& ops, int n) {
  SquareBatch batch;
  for (const Precision p : all_precisions)
    if (letter(p) == precision) batch.precision = p;
  const auto op = [](char c) {
    return c == 'n' ? Op::none : c == 't' ? Op::transpose : Op::conj_transpose;
  };
  batch.op_a = op(ops.at(0));
  batch.op_b = op(ops.at(1));
  batch.n = n;
  batch.count = number(options["--products"], "--products");
  if (batch.count > 0) return batch;
  const double bytes = 3.0 * n * n * static_cast<double>(element_size(batch.precision));
  batch.count =
      options["--host"] == "1"
          ? 1000
          : std::max<std::int64_t>(
                static_cast<std::int64_t>(positive(options, "--megabytes") * 1e6 / bytes), 1);
  return batch;
}

std::vector<KernelParams> kernels_of(const NamedOptions& options, const SquareBatch& batch,
                                     const DeviceLimits& limits) {
  GemmProblem shape;
  shape.precision = batch.precision;
  shape.op_a = batch.op_a;
  shape.op_b = batch.op_b;
  shape.m = shape.n = shape.k = batch.n;
  if (!options["--points"].empty()) return points_of_file(options["--points"], KernelParams{});
  std::vector<KernelParams> kernels;
  std::string texts = options["--kernel"];
  while (!texts.empty()) {
    const auto end = texts.find(';');
    kernels.push_back(with_assignments(KernelParams{}, texts.substr(0, end)));
    texts = end == std::string::npos ? "" : texts.substr(end + 1);
  }
  if (kernels.empty()) kernels.push_back(batched_kernel(shape, limits));
  return kernels;
}

// Medians over turns of the best kernels and the peer.
void final_comparison(const NamedOptions& options, const SquareBatch& batch, OwnBatch& own,
                      BatchPeer* peer, std::vector<SweptKernel> best) {
  best.resize(
      std::min<std::size_t>(best.size(), static_cast<std::size_t>(positive(options, "--top"))));
  const int calls = static_cast<int>(std::clamp(100.0 / batch.giga_flops(), 2.0, 50.0));
  std::map<std::size_t, std::vector<double>> times;
  std::vector<double> of_peer;
  for (int round = 0; round < positive(options, "--rounds"); ++round) {
    for (std::size_t i = 0; i < best.size(); ++i) {
      own.use(best[i].kernel);
      times[i].push_back(own.seconds_per_call(calls));
    }
    if (peer != nullptr) of_peer.push_back(peer->seconds_per_call(calls));
  }
  std::vector<char> reference;
  if (peer != nullptr) {
    reference = peer->result();
    std::printf("= %8.0f GFLOPS  %s\n", batch.giga_flops() / upper_median(of_peer),
                peer->name().c_str());
  }
  for (std::size_t i = 0; i < best.size(); ++i) {
    own.use(best[i].kernel);
    const std::vector<char> result = own.result();
    if (reference.empty()) reference = result;
    const double error = result_difference(batch.as_one(), result, reference);
    const double seconds = upper_median(times[i]);
    std::printf("= %8.0f GFLOPS", batch.giga_flops() / seconds);
    if (peer != nullptr) std::printf("  %.3f of cuBLAS", upper_median(of_peer) / seconds);
    std::printf("  %s  difference %.3f%s\n", assignments(best[i].kernel).c_str(), error,
                error < 2 ? "" : " WRONG");
  }
  std::fflush(stdout);
}

void compare_resident(const NamedOptions& options, const std::vector<SquareBatch>& batches) {
  std::string why;
  const auto chosen = cl::choose_device(cl::list_devices(&why), options["--device"], true, &why);
  if (!chosen) throw DeviceError(why);
  OpenedDevice device(*chosen, {"", Settings::from_environment().kernel_dir}, true);
  std::printf("%s: async copies %d, fp64 matrix %d, local memory %zu, static %zu\n",
              chosen->info.name.c_str(), device.limits.async_copies, device.limits.fp64_matrix,
              device.limits.local_memory_bytes, device.limits.static_local_bytes);
  std::unique_ptr<BatchPeer> peer;
  if (options["--peers"] == "cublas") {
    peer = make_cublas_batch_peer(why);
    if (!peer) std::printf("no peer: %s\n", why.c_str());
  }
  OwnBatch own(device);
  for (const SquareBatch& batch : batches) {
    std::printf("%cgemm x %ld, n = %ld\n", letter(batch.precision), static_cast<long>(batch.count),
                static_cast<long>(batch.n));
    const BatchOperandsOfPeer operands(batch);
    if (peer) peer->prepare(batch, operands);
    own.prepare(batch, operands);
    const double budget = static_cast<double>(number(options["--sweep"], "--sweep"));
    constexpr double no_end = 1e9;
    final_comparison(options, batch, own, peer.get(),
                     budget > 0
                         ? swept_kernels(own, batch, device.limits, budget)
                         : ranked_kernels(own, batch, kernels_of(options, batch, device.limits),
                                          device.limits, no_end));
  }
}

int run(const NamedOptions& options) {
  std::vector<SquareBatch> batches;
  for (const std::string& precision : list_items(options["--precision"]))
    for (const std::string& ops : list_items(options["--ops"]))
      for (const std::string& size : list_items(options["--size"]))
        batches.push_back(
            batch_of(options, precision.at(0), ops, static_cast<int>(number(size, "--size"))));
  if (options["--host"] != "1") {
    compare_resident(options, batches);
    return 0;
  }
  for (const SquareBatch& batch : batches) {
    std::printf("%cgemm x %ld, n = %ld, host memory\n", letter(batch.precision),
                static_cast<long>(batch.count), static_cast<long>(batch.n));
    compare_host_batches(batch, positive(options, "--rounds"), options["--account"] == "1");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  NamedOptions options({{"--precision", "s,d"},
                        {"--size", "16,32,64,128,256"},
                        {"--ops", "nn"},
                        {"--products", "0"},
                        {"--megabytes", "256"},
                        {"--kernel", ""},
                        {"--points", ""},
                        {"--sweep", "0"},
                        {"--top", "3"},
                        {"--rounds", "9"},
                        {"--peers", "cublas"},
                        {"--device", ""},
                        {"--host", "0"},
                        {"--account", "0"}});
  return benchmark_main("bench_batched", usage, options, argc, argv, run);
}
