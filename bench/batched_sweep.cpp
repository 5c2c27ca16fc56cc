#include "bench/batched_sweep.hpp"

#include <duoblas/error.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

#include "bench/kernel_assignments.hpp"
#include "kernel_space/batched_kernels.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

double seconds_of(OwnBatch& own, const SquareBatch& batch, const KernelParams& kernel) {
  own.use(kernel);
  // Three turns of about 2 ms each at 10 TFLOPS.
  const int calls = static_cast<int>(std::clamp(20.0 / batch.giga_flops(), 1.0, 20.0));
  std::vector<double> times;
  for (int round = 0; round < 3; ++round) times.push_back(own.seconds_per_call(calls));
  return upper_median(times);
}

// The kernels that a batch can use and that differ from this one in one field.
std::vector<KernelParams> neighbours_of(const KernelParams& kernel, Precision precision,
                                        const DeviceLimits& limits) {
  std::vector<KernelParams> near;
  for (const KernelField& field : kernel_fields()) {
    if (field.name == "family" || field.name == "k_split" || field.name == "image_a" ||
        field.name == "image_b" || !field.is_used_by(kernel.family))
      continue;
    for (const int value : field.values) {
      KernelParams other = kernel;
      field.set(other, value);
      other = canonical(other);
      if (other == canonical(kernel) || other.matrix == MatrixUnit::tf32x3 ||
          violated_rule(other, precision, limits) != nullptr)
        continue;
      near.push_back(other);
    }
  }
  return near;
}

void sort(std::vector<SweptKernel>& ranked) {
  std::ranges::sort(ranked, {}, &SweptKernel::seconds);
}

}  // namespace

std::vector<SweptKernel> ranked_kernels(OwnBatch& own, const SquareBatch& batch,
                                        const std::vector<KernelParams>& kernels,
                                        const DeviceLimits& limits, double budget) {
  const Stopwatch watch;
  std::vector<SweptKernel> ranked;
  for (const KernelParams& kernel : kernels) {
    if (watch.seconds() > budget) {
      std::printf("  (the budget ended after %zu of %zu kernels)\n", ranked.size(), kernels.size());
      break;
    }
    const std::string text = assignments(kernel);
    if (const KernelRule* rule = violated_rule(kernel, batch.precision, limits)) {
      std::printf("  %8s  %s: rule %s\n", "-", text.c_str(), std::string(rule->name).c_str());
      continue;
    }
    try {
      const double seconds = seconds_of(own, batch, kernel);
      std::printf("  %8.0f  %s\n", batch.giga_flops() / seconds, text.c_str());
      ranked.push_back({seconds, kernel});
    } catch (const DeviceError& failure) {
      const std::string why = failure.what();
      std::printf("  %8s  %s: %s\n", "-", text.c_str(), why.substr(0, 300).c_str());
    }
    std::fflush(stdout);
  }
  sort(ranked);
  return ranked;
}

std::vector<SweptKernel> swept_kernels(OwnBatch& own, const SquareBatch& batch,
                                       const DeviceLimits& limits, double budget) {
  std::vector<KernelParams> grid =
      batched_candidates(batch.precision, static_cast<int>(batch.n), limits);
  // If the budget ends before the grid, the kernels that were tried are spread over all of it.
  std::shuffle(grid.begin() + 1, grid.end(), std::mt19937_64(1));
  std::printf("  %zu points, then neighbours of the best\n", grid.size());
  std::vector<SweptKernel> ranked = ranked_kernels(own, batch, grid, limits, budget / 2);
  std::vector<KernelParams> tried;
  for (const SweptKernel& known : ranked) tried.push_back(canonical(known.kernel));
  for (int round = 0; round < 2; ++round) {
    constexpr std::size_t starts = 3;
    std::vector<KernelParams> near;
    for (std::size_t i = 0; i < std::min(starts, ranked.size()); ++i)
      for (const KernelParams& kernel : neighbours_of(ranked[i].kernel, batch.precision, limits))
        if (std::ranges::find(tried, kernel) == tried.end()) {
          tried.push_back(kernel);
          near.push_back(kernel);
        }
    const auto found = ranked_kernels(own, batch, near, limits, budget / 4);
    ranked.insert(ranked.end(), found.begin(), found.end());
    sort(ranked);
  }
  return ranked;
}

}  // namespace duoblas
