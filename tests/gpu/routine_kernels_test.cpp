// Programs beside gemm: right ones pass their trials, spoiled ones compute for nobody.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <vector>

#include <duoblas/context.hpp>
#include <duoblas/error.hpp>

#include "gpu/device/operand_image.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/level3/leaf_inverses.hpp"
#include "gpu/streams/gemv.hpp"
#include "spoiled_kernels.hpp"
#include "support/first_device.hpp"
#include "support/temporary_directory.hpp"
#include "support/turns.hpp"

namespace duoblas {
namespace {

using test::on_gpu_with;
using test::SpoiledKernels;
namespace files = std::filesystem;

std::string trial_of(OpenedDevice& device, const GemvProblem& problem, const GemvVariant& variant) {
  BuiltProgram& built = device.kernels.get(
      program_number_of(problem, variant), [&] { return gemv_program(problem, variant); },
      [](BuiltProgram&, std::uint64_t) { return std::string(); });
  return what_is_wrong(device, problem, variant, built, 1);
}

bool computes(const OpenedDevice& device, Precision precision) {
  return device.limits.has_fp64 || !is_double(precision);
}

TEST(RoutineTrials, FindNothingWrongWithKernelsOfGemv) {
  OpenedDevice device(test::first_device(), {});
  // The built-in ones of CPUs and of GPUs, and others with every axis in use, sums of slices in the
  // same launch among them.
  for (const Precision precision : all_precisions)
    for (const bool transposes : {false, true})
      for (const bool conjugates : {false, true}) {
        if (!computes(device, precision) || (conjugates && !is_complex(precision))) continue;
        GemvProblem problem;
        problem.precision = precision;
        problem.transposes = transposes;
        problem.conjugates = conjugates;
        DeviceLimits gpu = device.limits;
        gpu.is_cpu = false;
        const GemvKernel kernels[] = {default_gemv_kernel(device.limits, precision, transposes),
                                      default_gemv_kernel(gpu, precision, transposes),
                                      {1, 4, transposes ? 3 : 1, 3, 2},
                                      {2, 2, transposes ? 3 : 1, 2, 2, 0, 0, 2}};
        int number = 0;
        for (const GemvKernel& kernel : kernels) {
          const bool is_built_in = ++number <= 2;
          if (!is_built_in && !test::has_turn(precision, number + transposes)) continue;
          for (const bool aligned : {true, false}) {
            // Half of the programs: each kernel has either kind of rows for some types.
            if (aligned == (precision_index(precision) % 2 == 0) && !conjugates) continue;
            if (kernel.fused > 0 && aligned != is_double(precision)) continue;
            if (!is_legal(kernel, device.limits, precision, transposes)) continue;
            const GemvVariant variant = of_any_size(kernel, aligned);
            EXPECT_EQ(trial_of(device, problem, variant), "")
                << gemv_program(problem, variant).name;
          }
        }
      }
}

// Sizes compiled in, A as an image, and both: every type and op, at sizes with edges.
TEST(RoutineTrials, FindNothingWrongWithGemvOfInlinedSizesAndImages) {
  OpenedDevice device(test::first_device(), {});
  for (const Precision precision : all_precisions)
    for (const bool transposes : {false, true}) {
      if (!computes(device, precision) || !test::has_turn(precision, transposes)) continue;
      GemvProblem problem;
      problem.precision = precision;
      problem.transposes = transposes;
      problem.conjugates = is_complex(precision) && transposes;
      problem.rows = 301;
      problem.columns = 203;
      const int pixel = static_cast<int>(gemv_pixel_bytes / element_size(precision));
      GemvKernel kernel{pixel, 4, transposes ? 4 : 1, 2, 2, 1, 1};
      if (!is_legal(kernel, device.limits, precision, transposes)) kernel.image = 0;
      std::set<std::string> names;
      for (const TriedProgram& tried : gemv_programs(device, problem, kernel)) {
        names.insert(tried.program().name);
        BuiltProgram& built =
            device.kernels.get(tried.number, tried.program,
                               [](BuiltProgram&, std::uint64_t) { return std::string(); });
        EXPECT_EQ(tried.trial(device, built, 1), "") << tried.program().name;
      }
      EXPECT_EQ(names.size(), kernel.image != 0 ? 6u : 4u);
    }
}

// Each call of LU asks until the program is built: it reads no file for that.
TEST(RoutineTrials, ReadFilesOnceToFindOutWhetherTheyAreDue) {
  const SpoiledKernels folder("gemv.cl", "kernel", "kernel");
  const test::TemporaryDirectory verdicts;
  const Verification verification{true, verdicts.path(), {}};
  OpenedDevice device(test::first_device(), {"", folder.path()}, false, 0, {}, verification);
  const std::vector<TriedProgram> programs =
      gemv_programs(device, {}, default_gemv_kernel(device.limits, Precision::s, false));
  ASSERT_FALSE(programs.empty());
  EXPECT_TRUE(device.kernels.needs_trial(programs[0]));
  files::remove(folder.path() + "/gemv.cl");
  EXPECT_TRUE(device.kernels.needs_trial(programs[0]));
}

TEST(RoutineTrials, AWrongKernelOfGemvComputesForNobody) {
  const SpoiledKernels spoiled("gemv.cl", "for (int s = 1; s < slices; ++s) total += sums[",
                               "for (int s = 2; s < slices; ++s) total += sums[");
  const SpoiledKernels at_edges("gemv.cl", "for (int j = whole + lane; j < end; j += ACROSS)",
                                "for (int j = whole + lane + 1; j < end; j += ACROSS)");
  for (const SpoiledKernels* kernels : {&spoiled, &at_edges}) {
    Context context(on_gpu_with(kernels->path()));
    std::vector<double> a(9 * 7, 1.0), x(7, 1.0), y(9);
    context.gemv<double>(Layout::row_major, Op::none, 9, 7, 1, a.data(), 7, x.data(), 1, 0,
                         y.data(), 1);
    EXPECT_TRUE(Context::last_call().recovered);
    EXPECT_EQ(y, std::vector<double>(9, 7.0));
  }
}

// The host inverts the leaves then.
TEST(RoutineTrials, AWrongKernelOfLeavesIsOutOfUse) {
  const SpoiledKernels numbers("leaf_inverse.cl", "now[r] *= 1 / line[i + r]",
                               "now[r] *= 2 - line[i + r]");
  const SpoiledKernels sums("leaf_inverse.cl", "sums[LINE(i)] = sum", "sums[i] = i > 5 ? sum : 0");
  const SpoiledKernels zeros("leaf_inverse.cl", "AT(i, column)] = i < first ? 0",
                             "AT(i, column)] = i < first ? 1");
  Level3Problem solve;
  solve.routine = Routine::trsm;
  solve.uplo = Uplo::lower;
  for (const SpoiledKernels* kernels : {&numbers, &sums, &zeros}) {
    const test::TemporaryDirectory verdicts;
    OpenedDevice device(test::first_device(), {"", kernels->path()}, false, 0, {},
                        {true, verdicts.path(), {}});
    if (!computes(device, solve.precision)) return;
    EXPECT_FALSE(prepare_leaf_inverses(device, solve, 64));
    EXPECT_FALSE(prepare_leaf_inverses(device, solve, 64)) << "nobody tries again";
  }
  OpenedDevice device(test::first_device(), {});
  EXPECT_TRUE(!computes(device, solve.precision) || prepare_leaf_inverses(device, solve, 64));
}

// Right in every trial, whose operands are small: the first result that is looked at rejects it.
TEST(RoutineChecks, RejectWhatIsWrongInLargeResultsOnly) {
  const SpoiledKernels spoiled("gemv.cl", "for (int r = 0; r < LINES; ++r) sums[r] = folded(",
                               "for (int r = 0; r < LINES; ++r) sums[r] = (rows > 500) + folded(");
  constexpr std::int64_t rows = 3000, columns = 40;
  const std::vector<float> a(rows * columns, 1.0F), x(columns, 2.0F);
  for (const CheckMode check : {CheckMode::sampled, CheckMode::always}) {
    Settings settings = on_gpu_with(spoiled.path());
    settings.check = check;
    Context context(settings);
    for (int call = 1; call <= 3; ++call) {
      std::vector<float> y(rows, 3.0F);
      context.gemv<float>(Layout::row_major, Op::none, rows, columns, 1, a.data(), columns,
                          x.data(), 1, 1, y.data(), 1);
      EXPECT_TRUE(Context::last_call().recovered) << call;
      EXPECT_EQ(y, std::vector<float>(rows, 83.0F));
    }
  }
}

}  // namespace
}  // namespace duoblas
