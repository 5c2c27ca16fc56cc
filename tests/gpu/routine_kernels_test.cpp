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
#include "gpu/streams/axpy.hpp"
#include "gpu/streams/gemv.hpp"
#include "gpu/streams/ger.hpp"
#include "gpu/streams/matrix_copy.hpp"
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

void expect_nothing_wrong(OpenedDevice& device, const std::vector<TriedProgram>& programs) {
  for (const TriedProgram& tried : programs) {
    BuiltProgram& built = device.kernels.get(
        tried.number, tried.program, [](BuiltProgram&, std::uint64_t) { return std::string(); });
    EXPECT_EQ(tried.trial(device, built, 1), "") << tried.program().name;
  }
}

TEST(RoutineTrials, FindNothingWrongWithKernelsOfOmatcopy) {
  OpenedDevice device(test::first_device(), {});
  for (const Precision precision : all_precisions)
    for (const bool transposes : {false, true})
      for (const double alpha : {1.0, -0.5}) {
        if (!computes(device, precision)) continue;
        CopyProblem problem;
        problem.precision = precision;
        problem.transposes = transposes;
        problem.conjugates = transposes && is_complex(precision);
        problem.alpha = alpha;
        DeviceLimits gpu = device.limits;
        gpu.is_cpu = false;
        const CopyKernel other = alpha == 1.0 ? default_copy_kernel(gpu, precision, transposes)
                                              : CopyKernel{8, 2, 2, transposes ? 1 : 3, 2};
        for (const CopyKernel& kernel :
             {default_copy_kernel(device.limits, precision, transposes), other}) {
          ASSERT_TRUE(is_legal(kernel, device.limits, precision, transposes)) << describe(kernel);
          expect_nothing_wrong(device, copy_programs(problem, kernel));
        }
      }
}

TEST(RoutineTrials, FindNothingWrongWithVectorsOfOmatcopyThatAreWide) {
  OpenedDevice device(test::first_device(), {});
  for (const Precision precision : all_precisions)
    for (const bool transposes : {false, true}) {
      if (!computes(device, precision)) continue;
      CopyProblem problem;
      problem.precision = precision;
      problem.transposes = problem.conjugates = transposes;
      problem.alpha = is_complex(precision) ? std::complex<double>(0.5, -2) : 2;
      const int widest = is_complex(precision) ? 8 : 16;
      const auto programs = copy_programs(problem, {16, 1, 1, 1, widest});
      ASSERT_EQ(programs.size(), 2U) << "aligned rows, and any";
      expect_nothing_wrong(device, {programs[is_double(precision) != transposes]});
    }
}

TEST(RoutineTrials, FindNothingWrongWithKernelsOfGerAndAxpy) {
  OpenedDevice device(test::first_device(), {});
  DeviceLimits gpu = device.limits;
  gpu.is_cpu = false;
  for (const Precision precision : all_precisions) {
    if (!computes(device, precision)) continue;
    for (const int conjugates : {0, 1, 2}) {
      int number = 0;
      if (conjugates > 0 && !is_complex(precision)) continue;
      GerProblem problem;
      problem.precision = precision;
      problem.conjugates_x = conjugates == 1;
      problem.conjugates_y = conjugates == 2;
      for (const UpdateKernel& kernel :
           {default_ger_kernel(device.limits, precision), default_ger_kernel(gpu, precision),
            UpdateKernel{1, 4, 2, 3}, UpdateKernel{2, 3, 1, 1}}) {
        const bool is_built_in = ++number <= 2;
        if (is_legal(kernel, device.limits, precision) &&
            (is_built_in || test::has_turn(precision, number + conjugates)))
          expect_nothing_wrong(device, ger_programs(problem, kernel));
      }
    }
    // Every width, as the axis of GATLAS has it.
    std::vector<UpdateKernel> kernels = {default_axpy_kernel(device.limits, precision),
                                         default_axpy_kernel(gpu, precision)};
    for (const int width : {1, 2, 4, 8, 16}) kernels.push_back({width, 5, 1, 3});
    int number = 0;
    for (const UpdateKernel& kernel : kernels) {
      const bool is_built_in = ++number <= 2;
      if (is_legal(kernel, device.limits, precision) &&
          (is_built_in || test::has_turn(precision, number)))
        expect_nothing_wrong(device, axpy_programs(precision, kernel));
    }
  }
}

// Each call of LU asks until the program is built: it reads no file for that.
TEST(RoutineTrials, ReadFilesOnceToFindOutWhetherTheyAreDue) {
  const SpoiledKernels folder("axpy.cl", "kernel", "kernel");
  const test::TemporaryDirectory verdicts;
  const Verification verification{true, verdicts.path(), {}};
  OpenedDevice device(test::first_device(), {"", folder.path()}, false, 0, {}, verification);
  const std::vector<TriedProgram> programs =
      axpy_programs(Precision::s, default_axpy_kernel(device.limits, Precision::s));
  ASSERT_FALSE(programs.empty());
  EXPECT_TRUE(device.kernels.needs_trial(programs[0]));
  files::remove(folder.path() + "/axpy.cl");
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

TEST(RoutineTrials, AWrongKernelOfOmatcopyComputesForNobody) {
  const SpoiledKernels at_edges("omatcopy.cl", "min(TILE, columns - left)",
                                "min(TILE - 1, columns - left)");
  const SpoiledKernels at_ends("omatcopy.cl", "j < columns; j += across",
                               "j + 1 < columns; j += across");
  for (const Op op : {Op::none, Op::transpose}) {
    Context context(on_gpu_with((op == Op::none ? at_ends : at_edges).path()));
    std::vector<double> a(40 * 50, 2.0), b(50 * 40);
    const std::int64_t ldb = op == Op::none ? 50 : 40;
    context.omatcopy<double>(Layout::row_major, op, 40, 50, 1, a.data(), 50, b.data(), ldb);
    EXPECT_EQ(b, a);
  }
}

// With a kernel that trials refuse, or that is wrong in large results only: the CPU computes, from
// the values that A and y had.
void expect_ger_recovers(const Settings& settings) {
  Context context(settings);
  constexpr std::int64_t n = 3000;
  std::vector<float> a(n * 40, 1.0F), x(n, 2.0F), y(40, 3.0F);
  for (int call = 1; call <= 3; ++call) {
    context.ger<float>(Layout::row_major, n, 40, 1, x.data(), 1, y.data(), 1, a.data(), 40);
    EXPECT_TRUE(Context::last_call().recovered) << call;
    EXPECT_EQ(a, std::vector<float>(n * 40, 1 + 6.0F * static_cast<float>(call)));
  }
}

void expect_axpy_recovers(const Settings& settings) {
  Context context(settings);
  constexpr std::int64_t n = 400'000;
  std::vector<float> x(n, 2.0F), y(n, 1.0F);
  for (int call = 1; call <= 3; ++call) {
    context.axpy<float>(n, -1, x.data(), 1, y.data(), 1);
    EXPECT_TRUE(Context::last_call().recovered) << call;
    EXPECT_EQ(y, std::vector<float>(n, 1 - 2.0F * static_cast<float>(call)));
  }
}

TEST(RoutineTrials, AWrongKernelOfGerOrAxpyComputesForNobody) {
  SpoiledKernels spoiled("ger.cl", "of_rows[(long)(top + r) * incx]", "of_rows[(long)top * incx]");
  spoiled.spoil("axpy.cl", "i < min(begin + WIDTH, size)", "i < min(begin + WIDTH, size - 1)");
  expect_ger_recovers(on_gpu_with(spoiled.path()));
  expect_axpy_recovers(on_gpu_with(spoiled.path()));
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

// As in a factorisation's step: x is a column of the same matrix, beside those that change.
TEST(RoutineChecks, LookAtUpdatesWhoseVectorsLieBetweenTheRows) {
  const SpoiledKernels spoiled("ger.cl", "const int lines = min(LINES, rows - top);",
                               "const int lines = rows > 500 ? 0 : min(LINES, rows - top);");
  Settings settings = on_gpu_with(spoiled.path());
  settings.check = CheckMode::always;
  Context context(settings);
  constexpr std::int64_t n = 3000, lda = 60, columns = 40;
  std::vector<float> a(n * lda, 1.0F), y(columns, 3.0F);
  context.ger<float>(Layout::row_major, n, columns, 1, a.data() + 50, lda, y.data(), 1, a.data(),
                     lda);
  EXPECT_TRUE(Context::last_call().recovered);
  EXPECT_EQ(a[0], 4.0F);
  EXPECT_EQ(a[(n - 1) * lda + columns - 1], 4.0F);
  EXPECT_EQ(a[columns], 1.0F);
}

// Right in every trial, whose operands are small: the first result that is looked at convicts them.
TEST(RoutineChecks, ConvictWhatIsWrongInLargeResultsOnly) {
  SpoiledKernels spoiled("ger.cl", "const int lines = min(LINES, rows - top);",
                         "const int lines = rows > 500 ? 0 : min(LINES, rows - top);");
  spoiled.spoil("axpy.cl", "y += PARTS * y_offset;",
                "y += PARTS * y_offset; if (size > 90000) alpha *= 2;");
  for (const CheckMode check : {CheckMode::sampled, CheckMode::always}) {
    Settings settings = on_gpu_with(spoiled.path());
    settings.check = check;
    expect_ger_recovers(settings);
    expect_axpy_recovers(settings);
  }
}

}  // namespace
}  // namespace duoblas
