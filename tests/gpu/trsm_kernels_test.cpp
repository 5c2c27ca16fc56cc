// The program of many triangular solves: right as it is, and where it was spoiled it computes for
// nobody.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <duoblas/context.hpp>

#include "gpu/streams/trsm_batched.hpp"
#include "spoiled_kernels.hpp"
#include "support/first_device.hpp"

namespace duoblas::test {
namespace {

TEST(TrsmTrials, FindNothingWrongWithKernelsOfManySolves) {
  OpenedDevice device(first_device(), {});
  for (const Precision precision : all_precisions)
    for (const std::int64_t sides : {1, 100}) {
      if (is_double(precision) && !device.limits.has_fp64) continue;
      Level3Problem solve;
      solve.routine = Routine::trsm;
      solve.precision = precision;
      solve.m = 10;
      solve.n = sides;
      const TriedProgram tried = trsm_program(solve);
      BuiltProgram& built = device.kernels.get(
          tried.number, tried.program, [](BuiltProgram&, std::uint64_t) { return std::string(); });
      EXPECT_EQ(tried.trial(device, built, 1), "") << tried.program().name;
    }
}

// 40 solves with triangles of twos and right-hand sides of fours, of order n.
CallSummary solved(Context& context, std::int64_t n, std::vector<float>& b) {
  constexpr std::int64_t count = 40;
  std::vector<float> a(static_cast<std::size_t>(count * n * n), 0.0F);
  for (std::int64_t at = 0; at < count * n; ++at)
    a[static_cast<std::size_t>(at * n + at % n)] = 2.0F;
  b.assign(static_cast<std::size_t>(count * n * 3), 4.0F);
  context.trsm_strided_batched<float>(Layout::row_major, Side::left, Uplo::upper, Op::none,
                                      Diag::non_unit, n, 3, 1, a.data(), n, n * n, b.data(), 3,
                                      n * 3, count);
  EXPECT_EQ(b, std::vector<float>(b.size(), 2.0F));
  return Context::last_call();
}

TEST(TrsmTrials, AWrongKernelOfManySolvesComputesForNobody) {
  const SpoiledKernels diagonal("trsm_batched.cl", "k < i || (k == i && !unit)", "k < i");
  const SpoiledKernels edges("trsm_batched.cl", "if (i < rows && j < here) b[", "if (i < rows) b[");
  for (const SpoiledKernels* kernels : {&diagonal, &edges}) {
    Context context(on_gpu_with(kernels->path()));
    std::vector<float> b;
    EXPECT_TRUE(solved(context, 30, b).recovered);
    EXPECT_TRUE(solved(context, 30, b).recovered);
  }
}

// Wrong in larger triangles than trials have: a check finds it, the CPU computes from old values,
// and the kernel is not used any more.
TEST(TrsmChecks, ConvictAKernelOfManySolves) {
  const SpoiledKernels spoiled("trsm_batched.cl", "now[i] = is_one ? x :",
                               "now[i] = order > 60 && i == 3 ? x + x : is_one ? x :");
  Settings settings = on_gpu_with(spoiled.path());
  settings.check = CheckMode::always;
  Context context(settings);
  std::vector<float> b;
  EXPECT_FALSE(solved(context, 30, b).recovered);
  testing::internal::CaptureStderr();
  const CallSummary wrong = solved(context, 64, b);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(wrong.recovered);
  EXPECT_NE(said.find("its result is wrong: element ("), std::string::npos) << said;
  EXPECT_NE(said.find("of a batch"), std::string::npos) << said;
  EXPECT_NE(said.find("is not used any more"), std::string::npos) << said;
  EXPECT_TRUE(solved(context, 30, b).recovered) << "the same program";
}

}  // namespace
}  // namespace duoblas::test
