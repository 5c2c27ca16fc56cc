// Calls of gemm's kin that the device does from the first operand to the last result: every routine
// with every flag, in blocks so small that there are several of them.
#include <gtest/gtest.h>

#include "gpu/gpu_side.hpp"
#include "gpu/level3_job.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "problem/caller_level3.hpp"
#include "support/covering_array.hpp"
#include "support/first_device.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};

template <typename Body>
void for_all_types(Body&& body) {
  body(float());
  body(double());
  body(std::complex<float>());
  body(std::complex<double>());
}

class Level3Jobs : public ::testing::TestWithParam<Routine> {
 protected:
  Level3Front on_device(const BlockSizes& sizes) {
    return [this, sizes](const CallerLevel3& call) {
      const Level3Problem p = to_row_major(call);
      const KernelParams kernel = default_kernel(p.precision, gpu_.limits());
      ASSERT_TRUE(takes_level3(*gpu_.device(), p, kernel, sizes));
      Level3Job job = start_level3(gpu_.device(), p, kernel, sizes);
      job.wait();
      EXPECT_EQ(job.progress().lines, order(p));
      EXPECT_GT(job.seconds(), 0);
    };
  }

  GpuSide gpu_{first_device(), {}};
};

TEST_P(Level3Jobs, AreRightWithEveryFlag) {
  std::uint64_t seed = 1;
  enum { layout, side, uplo, op, diag, type, beta, pad };
  for (const auto& row : covering_array({2, 2, 2, 3, 2, 4, 2, 2}, 4)) {
    Level3Factors f{GetParam()};
    f.layout = row[layout] == 0 ? Layout::row_major : Layout::column_major;
    f.side = row[side] == 0 ? Side::left : Side::right;
    f.uplo = row[uplo] == 0 ? Uplo::upper : Uplo::lower;
    f.op = ops[row[op]];
    f.diag = row[diag] == 0 ? Diag::non_unit : Diag::unit;
    f.order = 83;
    f.free = 41;
    f.pad = row[pad] * 3;
    f.alpha = -0.7;
    f.beta = row[beta] == 0 ? 0 : 1.5;
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      if (precision_index(precision_of<T>) != static_cast<std::size_t>(row[type])) return;
      f.seed = seed += 10;
      if (exists<T>(f)) expect_right<T>(f, on_device({24, 8, 41 * 2 * sizeof(T)}));
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Routines, Level3Jobs, ::testing::ValuesIn(all_routines),
                         [](const auto& routine) { return std::string(name(routine.param)); });

}  // namespace
}  // namespace duoblas::test
