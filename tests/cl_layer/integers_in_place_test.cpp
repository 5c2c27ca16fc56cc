// Products by integers in memory that the device shares: bytes that are copied, counted by the
// layer.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/integers/integer_product.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/device.hpp"
#include "support/driver_ability.hpp"

namespace duoblas::test {
namespace {

template <typename T>
constexpr Precision precision = Precision::d;
template <>
constexpr Precision precision<std::complex<double>> = Precision::z;

template <typename T>
struct IntegersInPlace : testing::Test {
  static constexpr std::int64_t rows = 131, columns = 150, depth = 210, gap = 3;
  const LayerControl& layer = LayerControl::get();
  // Half of it is less than the scratch memory of all of C, however few moduli are there at a time.
  GpuSide side{cl::list_devices().at(0), {}, false, std::size_t{1400} * 128 * sizeof(T)};
  std::vector<T> a = std::vector<T>(rows * depth, 2), b = std::vector<T>(depth * columns, 3),
                 c = std::vector<T>(rows * (columns + gap), 5);
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }

  GemmProblem problem(double beta) {
    GemmProblem p;
    p.precision = precision<T>;
    p.m = rows;
    p.n = p.ldb = columns;
    p.k = p.lda = depth;
    p.ldc = columns + gap;
    p.a = a.data();
    p.b = b.data();
    p.beta = beta;
    p.c = c.data();
    return p;
  }
  void multiply(double beta) {
    side.submit(problem(beta), integers_kernel(side.limits()), SharingMode::host_pointer).wait();
  }
  bool shares_all() const {
    return can_or_tells(side.info(), side.sharing().granularity() == 1, shares_not_all);
  }
};

using Types = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(IntegersInPlace, Types);

TYPED_TEST(IntegersInPlace, CopyNothingButWhatAFailureWouldNeed) {
  if (!this->shares_all()) return;
  const std::int64_t gap = this->gap, columns = this->columns, rows = this->rows;
  for (const double beta : {0.0, 1.0}) {
    std::vector<TypeParam>& c = this->c;
    c.assign(c.size(), 5);
    this->layer.reset();
    const CopiedBytes before = this->side.copied();
    this->multiply(beta);
    const CopiedBytes after = this->side.copied();
    EXPECT_EQ(after.staged, before.staged);
    EXPECT_EQ(after.packed, before.packed);
    EXPECT_EQ(after.saved - before.saved,
              beta == 0 ? 0 : static_cast<std::size_t>(rows * columns) * sizeof(TypeParam));
    // Of each block what is said of it, on the device and to the host.
    constexpr std::size_t of_block = 2 * IntegerProduct::state_bytes;
    const auto copied = static_cast<std::size_t>(this->layer.bytes_copied());
    EXPECT_GT(copied, of_block) << "several blocks";
    EXPECT_LT(copied, 40 * of_block);
    EXPECT_EQ(copied % of_block, 0);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const bool in_gap = static_cast<std::int64_t>(i) % (columns + gap) >= columns;
      ASSERT_EQ(c[i], TypeParam(in_gap ? 5 : 6 * this->depth + 5 * beta)) << i;
    }
  }
}

// The blocks before are there, and of the others nothing was changed.
TYPED_TEST(IntegersInPlace, LeaveBlocksAsTheyAreThatAreNotCertified) {
  if (!this->shares_all()) return;
  this->b.at(this->columns - 1) = HUGE_VAL;  // in the last block
  for (const double beta : {0.0, 1.0}) {
    std::vector<TypeParam>& c = this->c;
    c.assign(c.size(), 5);
    GpuJob job = this->side.submit(this->problem(beta), integers_kernel(this->side.limits()),
                                   SharingMode::host_pointer);
    EXPECT_THROW(job.wait(), UnsuitedNumbers);
    std::vector<TypeParam> want(c.size(), 5);
    std::int64_t done = this->rows * this->columns;
    for (std::int64_t i = 0; i < this->rows; ++i)
      for (std::int64_t j = 0; j < this->columns; ++j)
        want[static_cast<std::size_t>(i * (this->columns + this->gap) + j)] =
            6 * this->depth + 5 * beta;
    for (const GemmProblem& rest : job.unfinished()) {
      done -= rest.m * rest.n;
      const auto first = static_cast<TypeParam*>(rest.c) - c.data();
      for (std::int64_t i = 0; i < rest.m; ++i)
        for (std::int64_t j = 0; j < rest.n; ++j)
          want[static_cast<std::size_t>(first + i * rest.ldc + j)] = 5;
    }
    EXPECT_GT(done, 0);
    EXPECT_EQ(c, want);
  }
}

// A lies between C's rows. C's window would have both. But sums are in pieces, so C is copied, and
// the host writes to it: A is copied, too.
TEST(IntegersBesideC, CopyWhatTouchesAWindowOfAResultThatIsCopied) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  constexpr std::int64_t rows = 8, columns = 8, depth = 4000, ld = columns + depth;
  GpuSide side(cl::list_devices().at(0), {}, false, std::size_t{800} << 10);
  if (!can_or_tells(side.info(), side.sharing().granularity() == 1, shares_not_all)) return;
  std::vector<double> both(rows * ld, 2), b(depth * columns, 3);
  GemmProblem p;
  p.precision = Precision::d;
  p.m = rows;
  p.n = p.ldb = columns;
  p.k = depth;
  p.a = both.data() + columns;
  p.lda = p.ldc = ld;
  p.b = b.data();
  p.c = both.data();
  const CopiedBytes before = side.copied();
  side.submit(p, integers_kernel(side.limits()), SharingMode::host_pointer).wait();
  EXPECT_EQ(side.copied().staged - before.staged, (rows * depth + rows * columns) * sizeof(double));
  for (std::int64_t i = 0; i < rows * ld; ++i)
    ASSERT_EQ(both[static_cast<std::size_t>(i)], i % ld < columns ? 6 * depth : 2) << i;
}

}  // namespace
}  // namespace duoblas::test
