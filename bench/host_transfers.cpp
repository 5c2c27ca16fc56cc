// Times two things on a discrete GPU: copies between pageable and page-locked memory by number of
// threads, in and out in turns; and whole products of pageable matrices.
//
//   bench_host_transfers [n...]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "memory/copy_threads.hpp"
#include "memory/pinned_memory.hpp"
#include "opencl/choose_device.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measured_problem.hpp"

namespace duoblas {
namespace {

// Prints the GB/s of copies between pageable memory and page-locked blocks of 4 MiB.
void show_copies(const cl::Device& device) {
  constexpr std::size_t block = std::size_t{4} << 20, blocks = 32;
  const cl::Context context(device);
  cl::Queue queue(context);
  std::vector<char> pageable(block * blocks, 1);
  std::vector<std::unique_ptr<PinnedMemory>> locked;
  for (int i = 0; i < 6; ++i)
    locked.push_back(std::make_unique<PinnedMemory>(context, queue, block));
  std::printf("threads  to locked GB/s  from locked GB/s\n");
  for (const int threads : {1, 2, 4, 6, 8, 12, 16}) {
    CopyThreads copiers(threads - 1);
    std::vector<double> in, out;
    for (int round = 0; round < 7; ++round) {
      in.push_back(seconds_of([&] {
        for (std::size_t b = 0; b < blocks; ++b)
          copiers.copy(
              {locked[b % 6]->data(), block, pageable.data() + b * block, block, 1, block});
      }));
      out.push_back(seconds_of([&] {
        for (std::size_t b = 0; b < blocks; ++b)
          copiers.copy(
              {pageable.data() + b * block, block, locked[b % 6]->data(), block, 1, block});
      }));
    }
    const double giga = static_cast<double>(block * blocks) * 1e-9;
    std::printf("%7d  %14.1f  %16.1f\n", threads, giga / upper_median(in),
                giga / upper_median(out));
  }
}

void show_products(GpuSide& side, int n) {
  for (const Precision precision : {Precision::s, Precision::d}) {
    MeasuredProblem measured(row_major_call(precision, Op::none, Op::none, n, n, n), 1);
    const KernelParams kernel = default_kernel(precision, side.limits());
    std::vector<double> seconds;
    for (int round = 0; round < (n > 5000 ? 4 : 12); ++round) {
      const double taken =
          seconds_of([&] { side.submit(measured.problem(), kernel, SharingMode::staged).wait(); });
      if (round > 1) seconds.push_back(taken);
    }
    const double flops = 2.0 * n * n * n;
    std::printf("%cgemm %5d  %8.3f ms (best %8.3f)  %7.2f TFLOPS\n",
                precision == Precision::s ? 's' : 'd', n, upper_median(seconds) * 1e3,
                *std::ranges::min_element(seconds) * 1e3, flops / upper_median(seconds) * 1e-12);
  }
}

}  // namespace
}  // namespace duoblas

int main(int argc, char** argv) {
  using namespace duoblas;
  try {
    const auto devices = cl::list_devices();
    std::string problem;
    const auto chosen = cl::choose_device(devices, "", true, &problem);
    if (!chosen) {
      std::fprintf(stderr, "%s\n", problem.c_str());
      return 1;
    }
    std::printf("%s\n", chosen->info.name.c_str());
    if (argc == 1) show_copies(*chosen);
    GpuSide side(*chosen, {});
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
    if (sizes.empty()) sizes = {512, 1024, 2048, 4096, 8192};
    for (const int n : sizes) show_products(side, n);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
