// Products of matrices in the host's memory: ours as planned, the CPU included, and cuBLASXt, in
// one run.
//
//   bench_cublasxt --precision s,d --n 2048,4096,8192 --blocks 1024,2048,4096 --seconds 4
//
// Calls take turns, so that drift of the clock affects all alike. Printed are medians of whole
// calls; cuBLASXt's at its best block size. "pinned" is memory that the program registered, with us
// or with CUDA. The ratios are cuBLASXt's time over ours.
#include <cstdio>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/cublas_api.hpp"
#include "bench/cublasxt_gemm.hpp"
#include "bench/host_matrices.hpp"
#include "bench/named_options.hpp"
#include "bench/result_difference.hpp"
#include "engine/engine.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_cublasxt [--precision s,d] [--n 2048,4096,8192] [--blocks 1024,2048,4096]
                      [--seconds 4]

  --n        square matrices of this size
  --blocks   cuBLASXt's block sizes to try
  --seconds  per type and size; three rounds at least
)";

template <typename Call>
TimedCandidate timed(Call call) {
  return [call]() -> std::optional<double> { return seconds_of(call); };
}

// cuBLASXt's least median so far, and its block size.
struct Best {
  double seconds = std::numeric_limits<double>::infinity();
  int block = 0;
  void take(double median, int of_block) {
    if (median < seconds) *this = {median, of_block};
  }
};

void print(const char* memory, double ours, const Best& best, double work) {
  std::printf("  %-8s %9.3f ms %6.2f TFLOPS, cuBLASXt %9.3f ms %6.2f (blocks of %d): %.2f\n",
              memory, 1e3 * ours, 1e-12 * work / ours, 1e3 * best.seconds,
              1e-12 * work / best.seconds, best.block, best.seconds / ours);
}

void compare(Engine& engine, const CublasApi& api, const PeerProblem& shape,
             const std::vector<int>& blocks, double seconds) {
  HostMatrices pageable(shape, false), pinned(shape, true);
  HostMatrices their_pageable(shape, false), their_pinned(shape, false);
  const CudaRegistration registration(api, their_pinned);
  std::deque<CublasXt> libraries;
  std::vector<TimedCandidate> candidates = {timed([&] { engine.run(pageable.problem); }),
                                            timed([&] { engine.run(pinned.problem); })};
  for (const int block : blocks) {
    CublasXt& library = libraries.emplace_back(api, block);
    candidates.push_back(timed([&] { library.multiply(their_pageable); }));
    candidates.push_back(timed([&] { library.multiply(their_pinned); }));
  }
  MeasureRules rules;
  rules.max_rounds = 50;
  rules.deadline = in_seconds(seconds);
  const auto timings = measure_interleaved(candidates, rules);
  Best best_pageable, best_pinned;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    best_pageable.take(timings[2 + 2 * i].median, blocks[i]);
    best_pinned.take(timings[3 + 2 * i].median, blocks[i]);
  }
  const double work = flops(pageable.problem);
  std::printf("%cgemm n = %lld, %d rounds\n", letter(shape.precision),
              static_cast<long long>(shape.n), timings.front().rounds);
  print("pageable", timings[0].median, best_pageable, work);
  print("pinned", timings[1].median, best_pinned, work);
  for (HostMatrices* matrices : {&pinned, &their_pageable, &their_pinned})
    if (!(result_difference(shape, pageable.memory.c, matrices->memory.c) < 1))
      std::printf("  RESULTS DIFFER\n");
  std::fflush(stdout);
}

int run(const NamedOptions& options) {
  std::string why_not;
  const CublasApi* api = find_cublas(why_not);
  if (api == nullptr) throw DeviceError(why_not);
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  if (engine.gpu() == nullptr)
    throw DeviceError("no OpenCL device: " + engine.facts().gpu_problem());
  std::vector<int> blocks;
  for (const std::string& block : list_items(options["--blocks"]))
    blocks.push_back(std::stoi(block));
  for (const std::string& precision : list_items(options["--precision"]))
    for (const std::string& n : list_items(options["--n"])) {
      const std::int64_t size = std::stoll(n);
      compare(engine, *api,
              dense_problem(precision == "d" ? Precision::d : Precision::s, Op::none, Op::none,
                            size, size, size),
              blocks, std::stod(options["--seconds"]));
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_cublasxt", kUsage,
                        NamedOptions({{"--precision", "s,d"},
                                      {"--n", "2048,4096,8192"},
                                      {"--blocks", "1024,2048,4096"},
                                      {"--seconds", "4"}}),
                        argc, argv, run);
}
