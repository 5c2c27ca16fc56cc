// What a search chooses from, and what it makes of it without measuring.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "tests/tuner/search_machines.hpp"
#include "tuner/search/axes.hpp"
#include "tuner/search/kernel_list.hpp"
#include "tuner/search/kernel_surrogate.hpp"
#include "tuner/search/share_model.hpp"

namespace duoblas {
namespace {

DeviceLimits gpu_limits() {
  DeviceLimits limits;
  limits.max_work_group_size = 1024;
  limits.local_memory_bytes = 48 << 10;
  limits.max_allocation_bytes = std::size_t{1} << 32;
  limits.tf32_matrix = limits.async_copies = true;
  return limits;
}

int fields_that_differ(const KernelParams& x, const KernelParams& y) {
  int count = 0;
  for (const KernelField& field : kernel_fields()) count += field.get(x) != field.get(y);
  return count;
}

TEST(SearchKernels, AreLegalCanonicalAndDiffer) {
  for (const DeviceLimits& limits : {cpu_device_limits(), gpu_limits()})
    for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z})
      for (const Op op : {Op::none, Op::transpose}) {
        const auto kernels = search_kernels(precision, op, op, limits, 150);
        EXPECT_EQ(kernels.size(), 150u);
        for (std::size_t i = 0; i < kernels.size(); ++i) {
          EXPECT_EQ(violated_rule(kernels[i], precision, limits), nullptr);
          EXPECT_EQ(kernels[i], canonical(kernels[i]));
          EXPECT_NE(kernels[i].matrix, MatrixUnit::tf32x3);
          EXPECT_FALSE(kernels[i].split_last);
          EXPECT_EQ(std::ranges::count(kernels, kernels[i]), 1) << describe(kernels[i]);
        }
      }
}

// On a device that multiplies doubles by integers: products of bytes alone, with each unit that it
// has, in tiles that differ.
TEST(SearchKernels, AreProductsOfBytesWhereDoublesAreByIntegers) {
  for (DeviceLimits limits : {cpu_device_limits(), gpu_limits()}) {
    limits.has_fp64 = false;
    limits.doubles_by_integers = true;
    const bool all = !limits.is_cpu;
    limits.byte_dot_products = limits.byte_dp4a = limits.byte_matrix = limits.wide_bytes = all;
    limits.static_local_bytes = std::size_t{227} << 10;
    for (const Precision precision : {Precision::d, Precision::z}) {
      const auto kernels = search_kernels(precision, Op::none, Op::transpose, limits, 100);
      EXPECT_GE(kernels.size(), 60u);
      EXPECT_EQ(kernels.front(), integers_kernel(limits));
      std::set<MatrixUnit> units;
      std::set<std::pair<std::int64_t, std::int64_t>> tiles;
      bool any_wide = false;
      for (const KernelParams& kernel : kernels) {
        EXPECT_TRUE(is_by_integers(kernel)) << describe(kernel);
        EXPECT_EQ(violated_rule(kernel, precision, limits), nullptr) << describe(kernel);
        EXPECT_EQ(kernel, canonical(kernel));
        EXPECT_EQ(std::ranges::count(kernels, kernel), 1) << describe(kernel);
        units.insert(kernel.matrix);
        tiles.emplace(row_tile(kernel), col_tile(kernel));
        any_wide |= kernel.wide;
      }
      EXPECT_EQ(units.size(), all ? 4u : 1u);
      EXPECT_GE(tiles.size(), 4u);
      EXPECT_EQ(any_wide, all);
    }
    for (const KernelParams& kernel : search_kernels(Precision::s, Op::none, Op::none, limits, 60))
      EXPECT_FALSE(is_by_integers(kernel)) << describe(kernel);
  }
}

TEST(SearchKernels, AreThereWhereFmaIsNoInstructionAndVectorsAreNumbers) {
  for (DeviceLimits limits : {cpu_device_limits(), gpu_limits()}) {
    limits.fma_single = limits.fma_double = false;
    limits.vector_bytes = 4;
    for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z})
      for (const KernelParams& kernel : search_kernels(precision, Op::none, Op::none, limits, 50)) {
        EXPECT_NE(kernel.multiply_add, MultiplyAdd::fma) << describe(kernel);
        EXPECT_EQ(violated_rule(kernel, precision, limits), nullptr) << describe(kernel);
      }
  }
}

TEST(SearchKernels, NameTheRuleThatLeavesNone) {
  DeviceLimits limits = gpu_limits();
  limits.max_work_group_size = 1;
  try {
    search_kernels(Precision::s, Op::none, Op::none, limits, 50);
    FAIL() << "a list without kernels";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("group_size"), std::string::npos) << error.what();
  }
}

TEST(SearchKernels, StartWithTheBestGuesses) {
  const auto guesses = kernel_candidates(Precision::d, Op::none, Op::none, cpu_device_limits());
  const auto kernels = search_kernels(Precision::d, Op::none, Op::none, cpu_device_limits(), 150);
  ASSERT_GT(kernels.size(), guesses.size());
  EXPECT_TRUE(std::ranges::equal(guesses, std::span(kernels).first(guesses.size())));
}

TEST(SearchKernels, ThatFollowDifferFromACandidateInOneField) {
  const auto guesses = kernel_candidates(Precision::s, Op::none, Op::none, gpu_limits());
  const auto kernels = search_kernels(Precision::s, Op::none, Op::none, gpu_limits(), 150);
  for (std::size_t i = guesses.size(); i < kernels.size(); ++i)
    EXPECT_TRUE(std::ranges::any_of(guesses, [&](const KernelParams& guess) {
      return fields_that_differ(guess, kernels[i]) == 1;
    })) << describe(kernels[i]);
}

TEST(SearchKernels, HaveTheValuesThatWereGivenAndDifferInOthers) {
  FixedFields fixed;
  fix(fixed, "k_unroll=2");
  fix(fixed, "pack_b=1");
  for (const DeviceLimits& limits : {cpu_device_limits(), gpu_limits()}) {
    const auto kernels = search_kernels(Precision::d, Op::none, Op::transpose, limits, 60, fixed);
    EXPECT_GT(kernels.size(), 20u);
    for (const KernelParams& kernel : kernels) {
      EXPECT_EQ(kernel.k_unroll, 2) << describe(kernel);
      EXPECT_TRUE(kernel.pack_b) << describe(kernel);
      EXPECT_EQ(violated_rule(kernel, Precision::d, limits), nullptr) << describe(kernel);
      EXPECT_EQ(std::ranges::count(kernels, kernel), 1) << describe(kernel);
    }
  }
}

TEST(SearchKernels, NameTheGivenValueThatLeavesNone) {
  FixedFields fixed;
  fix(fixed, "async_copy=1");
  DeviceLimits limits = gpu_limits();
  limits.async_copies = false;
  try {
    search_kernels(Precision::s, Op::none, Op::none, limits, 50, fixed);
    FAIL() << "this device has no such copies";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("no kernel with async_copy=1 can be tuned"),
              std::string::npos)
        << error.what();
  }
}

TEST(SearchKernels, AreAsManyAsAskedForAndOneAtLeast) {
  EXPECT_EQ(some_kernels(1).size(), 1u);
  EXPECT_EQ(some_kernels(0).size(), 1u);
  EXPECT_EQ(some_kernels(50).size(), 50u);
}

TEST(CandidateAxes, LeadToCandidatesThatDifferInOneParameterAscending) {
  SearchSpace space;
  space.kernels = some_kernels(80);
  space.sharings = {SharingMode::host_pointer, SharingMode::staged};
  space.cpus.resize(3);
  const CandidateAxes axes(space);
  const Candidate here{0, 1, 2, 5};
  bool kernel_moved = false;
  for (const int axis : axes.all()) {
    const auto line = axes.along(here, axis);
    EXPECT_EQ(std::ranges::count(line, here), 1);
    for (const Candidate& c : line) {
      const int moved = (c.kernel != here.kernel) + (c.sharing != here.sharing) +
                        (c.cpu != here.cpu) + (c.gpu_parts != here.gpu_parts);
      EXPECT_LE(moved, 1);
      kernel_moved |= c.kernel != here.kernel;
      const auto& kernels = space.kernels;
      EXPECT_LE(fields_that_differ(kernels[static_cast<std::size_t>(c.kernel)], kernels[0]), 1);
    }
  }
  EXPECT_TRUE(kernel_moved);
}

TEST(KernelSurrogate, ExpectsOfAKernelWhatItsLikesDid) {
  const auto kernels = some_kernels(80);
  const KernelSurrogate surrogate(kernels);
  // Packing A costs a tenth in every kernel that was seen.
  std::map<int, double> costs;
  for (int i = 0; i < 20; ++i) costs[i] = kernels[static_cast<std::size_t>(i)].pack_a ? 1.1 : 1.0;
  const auto guesses = surrogate.predict(costs);
  double packed = 0, plain = 0, packed_count = 0, plain_count = 0;
  for (std::size_t i = 20; i < kernels.size(); ++i) {
    (kernels[i].pack_a ? packed : plain) += guesses[i].log_cost;
    (kernels[i].pack_a ? packed_count : plain_count) += 1;
  }
  EXPECT_GT(packed / packed_count, plain / plain_count + 0.03);
}

TEST(KernelSurrogate, IsSureOfWhatWasMeasuredAndNotOfTheRest) {
  const auto kernels = some_kernels(40);
  const auto guesses = KernelSurrogate(kernels).predict({{0, 2.0}, {5, 2.5}});
  EXPECT_NEAR(guesses[0].log_cost, std::log(2.0), 0.02);
  EXPECT_NEAR(guesses[5].log_cost, std::log(2.5), 0.02);
  EXPECT_LT(guesses[0].deviation, 0.05);
  EXPECT_GT(guesses[30].deviation, 0.05);
}

TEST(ShareModel, MeetsWhereBothSidesTakeEquallyLong) {
  CallSample corun;
  corun.gpu = 1;  // 4 of 16 parts
  corun.cpu = 9;  // 12 of 16 parts
  const ShareModel model = share_model(corun, 4, {});
  EXPECT_EQ(model.best_share(), 12);
  EXPECT_DOUBLE_EQ(model.seconds(12), 3);
}

TEST(ShareModel, WithoutTimesIsHalf) {
  EXPECT_EQ(ShareModel{}.best_share(), 8);
}

}  // namespace
}  // namespace duoblas
