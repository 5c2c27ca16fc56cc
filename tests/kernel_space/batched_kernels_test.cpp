// Built-in kernels of batches: legal everywhere, and no larger than their matrices.
#include "kernel_space/batched_kernels.hpp"

#include <gtest/gtest.h>

#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas {
namespace {

DeviceLimits gpu() {
  DeviceLimits limits;
  limits.max_work_group_size = 256;
  limits.local_memory_bytes = 32 << 10;
  limits.compute_units = 20;
  return limits;
}

DeviceLimits nvidia() {
  DeviceLimits limits = gpu();
  limits.max_work_group_size = 1024;
  limits.local_memory_bytes = 48 << 10;
  limits.static_local_bytes = 200 << 10;
  limits.async_copies = limits.register_shares = limits.fp64_matrix = limits.tf32_matrix = true;
  return limits;
}

DeviceLimits cpu(int vector_bytes) {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.vector_bytes = vector_bytes;
  limits.max_work_group_size = 4096;
  return limits;
}

GemmProblem shape(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem p;
  p.precision = precision;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

TEST(BatchedKernels, AreLegalOnEveryDeviceForEverySize) {
  for (const DeviceLimits& limits : {gpu(), nvidia(), cpu(16), cpu(32), cpu(64)})
    for (const Precision precision : all_precisions)
      for (const std::int64_t m : {1, 5, 16, 31, 64, 100, 256, 1000})
        for (const std::int64_t n : {1, 8, 17, 32, 64, 128, 300})
          for (const std::int64_t k : {1, 16, 64, 500}) {
            const KernelParams p = batched_kernel(shape(precision, m, n, k), limits);
            const KernelRule* broken = violated_rule(p, precision, limits);
            EXPECT_EQ(broken, nullptr) << describe(p) << " breaks " << (broken ? broken->name : "");
            EXPECT_EQ(p.k_split, 1);
            EXPECT_FALSE(p.image_a || p.image_b);
          }
}

TEST(BatchedKernels, HaveNoTilesLargerThanTheMatricesOnAGpu) {
  for (const DeviceLimits& limits : {gpu(), nvidia()})
    for (const Precision precision : all_precisions)
      for (const std::int64_t n : {16, 32, 64}) {
        const KernelParams p = batched_kernel(shape(precision, n, n, n), limits);
        EXPECT_LE(row_tile(p), n) << describe(p);
        EXPECT_LE(col_tile(p), n) << describe(p);
      }
}

TEST(BatchedKernels, OfACpuDevicePackNothingOfWhatStaysInItsCaches) {
  for (const std::int64_t n : {16, 48, 128, 256}) {
    const KernelParams p = batched_kernel(shape(Precision::s, n, n, n), cpu(64));
    EXPECT_FALSE(p.pack_a || p.pack_b) << describe(p);
    EXPECT_LE(p.tile_cols, n);
  }
}

TEST(BatchedKernels, AreBuiltInForEverySizeWithoutInstructionsOfADevice) {
  for (const Precision precision : all_precisions) {
    const auto rows = built_in_kernels(KernelUse::batch, precision);
    double largest = 0;
    for (const auto& [row, kernel, _] : rows) {
      const double most = row->number("size", 1e9);
      EXPECT_GE(most, largest) << "rows are by size";
      largest = most;
      EXPECT_EQ(violated_rule(kernel, precision, nvidia()), nullptr) << row->kernel;
    }
    EXPECT_TRUE(rows.back().row->when.empty());
    EXPECT_FALSE(rows.back().kernel.async_copy);
    EXPECT_EQ(rows.back().kernel.matrix, MatrixUnit::none);
  }
}

TEST(BatchedCandidates, AreManyAndLegal) {
  for (const DeviceLimits& limits : {gpu(), nvidia()})
    for (const int n : {16, 32, 64, 128, 256}) {
      const auto candidates = batched_candidates(Precision::s, n, limits);
      EXPECT_GT(candidates.size(), 5u);
      for (const KernelParams& p : candidates)
        EXPECT_EQ(violated_rule(p, Precision::s, limits), nullptr) << describe(p);
    }
}

}  // namespace
}  // namespace duoblas
