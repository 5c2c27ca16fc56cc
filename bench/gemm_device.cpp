// Our kernels and other libraries on operands in the device's memory: products and batches.
#include <iostream>

#include <duoblas/error.hpp>

#include "bench/gemm_cases.hpp"
#include "bench/resident.hpp"
#include "kernel_space/batched_kernels.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

constexpr const char* kKernels =
    R"(--ops     of A and B: n, t (transposed), c (and conjugated).
--points  a file of kernels, one a line ("family=1 tile_rows=4 ...").
--peers   of cublas and clblast; none: our kernels alone.
--top     so many of the kernels take turns with the peers, --rounds times.
--device  as DUOBLAS_DEVICE.
)";

constexpr const char* kDeviceUsage =
    R"([--precision s,d] [--size 1024,2048,4096] [--ops nn] [--pad 0] [--points FILE]
       [--math exact] [--peers cublas] [--top 3] [--rounds 9] [--device WHICH] [--events each]

Whole calls with packing counted, the device's clock; every result is compared with the first peer's.
--pad     elements behind each row.
--points  also "built-in": the kernel that an untuned DeviceBlas takes for the call, with --math tf32x3
          the one of that mode. Without it: the library's candidates for the device.
--events  last: only the last of calls in a row has an event.
)";

constexpr const char* kBatchUsage =
    R"([--precision s,d] [--size 16,32,64,128,256] [--ops nn] [--products 0] [--megabytes 256]
       [--points FILE] [--peers cublas] [--top 3] [--rounds 9] [--device WHICH]

Strided batches of square products in the device's memory, the library's kernel for them.
--megabytes  operands of as many products, where --products is 0.
)";

std::vector<KernelParams> given_kernels(const NamedOptions& options, const KernelParams& base) {
  const std::string& file = options["--points"];
  return file.empty() ? std::vector<KernelParams>() : points_of_file(file, base);
}

// As DeviceBlas chooses without a profile, where there is room to pack.
KernelParams kernel_of_untuned(const GemmProblem& p, bool is_tf32x3, const DeviceLimits& limits) {
  if (is_tf32x3)
    if (const auto kernel = tf32x3_kernel(p, limits)) return *kernel;
  const KernelParams even = built_in_kernel(KernelUse::resident, p, limits);
  const auto element = static_cast<std::int64_t>(element_size(p.precision));
  const bool are_aligned = p.lda * element % 16 == 0 && p.ldb * element % 16 == 0;
  return kernel_for_rows(even, p, are_aligned, limits, [](const KernelParams&) { return true; });
}

std::vector<KernelParams> kernels_for(const NamedOptions& options, const PeerProblem& problem,
                                      const DeviceLimits& limits) {
  if (problem.count > 1) {
    const auto given = given_kernels(options, KernelParams{});
    return given.empty() ? std::vector{batched_kernel(as_gemm(problem), limits)} : given;
  }
  if (options.is("--points", "built-in"))
    return {kernel_of_untuned(as_gemm(problem), options.is("--math", "tf32x3"), limits)};
  const auto given = given_kernels(options, default_kernel(problem.precision, limits));
  return given.empty() ? kernel_candidates(problem.precision, problem.op_a, problem.op_b, limits)
                       : given;
}

void compare(const NamedOptions& options, Resident& resident, const PeerProblem& problem,
             const DeviceLimits& limits) {
  const auto best = resident.fastest(kernels_for(options, problem, limits),
                                     static_cast<std::size_t>(options.whole("--top")));
  std::vector<Contender> ways = resident.peers();
  const bool has_peer = !ways.empty();
  for (const KernelParams& kernel : best) ways.push_back(resident.way(kernel));
  const int rounds = options.whole("--rounds");
  const std::vector<Taken> taken = in_turns(ways, {rounds, rounds});
  const Table table({{"GFLOPS", 9}, {has_peer ? "of first peer" : "of first", 13}, {"", -1}});
  for (std::size_t i = 0; i < ways.size(); ++i)
    table.row({fixed(problem.giga_flops() / taken[i].median, 0), fixed(1 / taken[i].ratio, 3),
               ways[i].name + (taken[i].problem.empty() ? "" : ": " + taken[i].problem)});
}

int run_device(const NamedOptions& options) {
  const auto device = opened_device(options["--device"]);
  const auto peers = peers_named(options.list("--peers"), *device);
  const int pad = options.whole("--pad", 0);
  for (const std::string& precision : options.list("--precision"))
    for (const std::string& ops : options.list("--ops"))
      for (const std::string& size : options.list("--size")) {
        const PeerProblem problem =
            square_problem(precision_named(precision), ops_named(ops), std::stol(size), pad);
        std::cout << precision << "gemm " << ops << " n = " << size << ", ld + " << pad
                  << std::endl;
        Resident resident(*device, peers, problem);
        resident.own().ask_for_each(options.is("--events", "each"));
        compare(options, resident, problem, device->limits);
      }
  return 0;
}

std::int64_t products_of(const NamedOptions& options, Precision precision, std::int64_t n) {
  if (const int given = options.whole("--products", 0)) return given;
  const auto bytes =
      3.0 * static_cast<double>(n * n) * static_cast<double>(element_size(precision));
  return std::max<std::int64_t>(
      static_cast<std::int64_t>(1e6 * options.whole("--megabytes") / bytes), 2);
}

int run_batch(const NamedOptions& options) {
  const std::unique_ptr<OpenedDevice> device = opened_device(options["--device"]);
  const std::vector<std::unique_ptr<Peer>> peers = peers_named(options.list("--peers"), *device);
  for (const std::string& precision : options.list("--precision"))
    for (const std::string& ops : options.list("--ops"))
      for (const std::string& size : options.list("--size")) {
        const Precision type = precision_named(precision);
        const std::int64_t n = std::stol(size), count = products_of(options, type, n);
        const PeerProblem problem = square_problem(type, ops_named(ops), n, 0, count);
        std::cout << precision << "gemm " << ops << " x " << count << ", n = " << n << std::endl;
        Resident resident(*device, peers, problem);
        compare(options, resident, problem, device->limits);
      }
  return 0;
}

}  // namespace

BenchCase device_case() {
  return {"device", std::string(kDeviceUsage) + kKernels,
          NamedOptions({{"--precision", "s,d"},
                        {"--size", "1024,2048,4096"},
                        {"--ops", "nn"},
                        {"--pad", "0"},
                        {"--points", ""},
                        {"--math", "exact"},
                        {"--peers", "cublas"},
                        {"--top", "3"},
                        {"--rounds", "9"},
                        {"--device", ""},
                        {"--events", "each"}}),
          run_device};
}

BenchCase batch_case() {
  return {"batch", std::string(kBatchUsage) + kKernels,
          NamedOptions({{"--precision", "s,d"},
                        {"--size", "16,32,64,128,256"},
                        {"--ops", "nn"},
                        {"--products", "0"},
                        {"--megabytes", "256"},
                        {"--points", ""},
                        {"--peers", "cublas"},
                        {"--top", "3"},
                        {"--rounds", "9"},
                        {"--device", ""}}),
          run_batch};
}

}  // namespace duoblas
