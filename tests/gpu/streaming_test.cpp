// Products of more than the device may hold.
#include <duoblas/error.hpp>

#include "gpu/gpu_side.hpp"
#include "gpu/side_front.hpp"
#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "support/driver_ability.hpp"

namespace duoblas {
namespace {

using test::CaseFactors;
using test::expect_right;
using test::side_front;

constexpr std::size_t little = std::size_t{256} << 10;

GpuSide& little_side() {
  static auto* const once = new GpuSide(test::first_device(), {}, false, little);
  return *once;
}

template <typename T>
struct StreamingOf : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(StreamingOf, ElementTypes);

CaseFactors factors_of(std::int64_t m, std::int64_t n, std::int64_t k, double beta) {
  CaseFactors factors;
  factors.layout = Layout::row_major;
  factors.m = m;
  factors.n = n;
  factors.k = k;
  factors.pad = 3;
  factors.alpha = 0.5;
  factors.beta = beta;
  return factors;
}

TYPED_TEST(StreamingOf, MultipliesWithEveryOpAndBeta) {
  int round = 0;
  for (const Op op_a : {Op::none, Op::transpose, Op::conj_transpose}) {
    for (const Op op_b : {Op::none, Op::transpose, Op::conj_transpose}) {
      const double betas[] = {0.0, 1.0, -0.7};
      CaseFactors factors = factors_of(307, 291, 333, betas[round++ % 3]);
      factors.op_a = op_a;
      factors.op_b = op_b;
      expect_right<TypeParam>(factors, side_front<TypeParam>(little_side(), SharingMode::staged));
    }
  }
}

TYPED_TEST(StreamingOf, MultipliesShapesWithOneLongSide) {
  for (const double beta : {0.0, 1.0, -0.7})
    for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
             {5, 7, 40001}, {9001, 13, 11}, {13, 9001, 11}, {601, 5, 707}, {1, 1, 70001}})
      expect_right<TypeParam>(factors_of(m, n, k, beta),
                              side_front<TypeParam>(little_side(), SharingMode::staged));
}

// A window of the host's memory takes none of the device's; what is packed does.
TYPED_TEST(StreamingOf, MultipliesWhatAnotherModeHasNoRoomFor) {
  for (const double beta : {0.0, -0.7})
    expect_right<TypeParam>(factors_of(401, 307, 333, beta),
                            side_front<TypeParam>(little_side(), SharingMode::host_pointer));
}

TEST(Streaming, GivesTheSameBitsEveryTime) {
  const std::int64_t n = 400;
  std::vector<float> a(n * n), b(n * n);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i * 7 % 1009) / 1009;
    b[i] = static_cast<float>(i * 11 % 2003) / 2003;
  }
  const KernelParams kernel = default_kernel(Precision::s, little_side().limits());
  std::vector<float> first;
  for (int round = 0; round < 3; ++round) {
    std::vector<float> c(n * n);
    little_side()
        .submit({.precision = Precision::s,
                 .m = n,
                 .n = n,
                 .k = n,
                 .a = a.data(),
                 .lda = n,
                 .b = b.data(),
                 .ldb = n,
                 .c = c.data(),
                 .ldc = n},
                kernel, SharingMode::staged)
        .wait();
    if (round == 0) first = c;
    EXPECT_EQ(c, first);
  }
}

// What is packed has no room as a whole. C's window would have A, too: A lies between C's rows,
// which the host writes.
TEST(Streaming, CopiesWhatTouchesAResultThatIsCopied) {
  GpuSide& side = little_side();
  if (!test::can_or_tells(side.info(), side.sharing().granularity() == 1, test::shares_not_all))
    return;
  KernelParams kernel = default_kernel(Precision::s, side.limits());
  kernel.pack_a = kernel.pack_b = true;
  constexpr std::int64_t rows = 8, columns = 8, depth = 40000, ld = columns + depth;
  std::vector<float> both(rows * ld, 2), b(depth * columns, 3);
  const std::uint64_t before = side.copied().staged;
  side.submit({.precision = Precision::s,
               .m = rows,
               .n = columns,
               .k = depth,
               .a = both.data() + columns,
               .lda = ld,
               .b = b.data(),
               .ldb = columns,
               .c = both.data(),
               .ldc = ld},
              kernel, SharingMode::host_pointer)
      .wait();
  EXPECT_EQ(side.copied().staged - before, (rows * depth + rows * columns) * sizeof(float));
  EXPECT_EQ(both.front(), 6 * depth);
  EXPECT_EQ(both.back(), 2);
}

TEST(Streaming, RefusesWhatNotEvenTheSmallestBlocksFit) {
  GpuSide side(test::first_device(), {}, false, 100);
  std::vector<float> a(900, 1), b(900, 1), c(900, 2);
  const GemmProblem p = {.precision = Precision::s,
                         .m = 30,
                         .n = 30,
                         .k = 30,
                         .a = a.data(),
                         .lda = 30,
                         .b = b.data(),
                         .ldb = 30,
                         .beta = 1,
                         .c = c.data(),
                         .ldc = 30};
  try {
    side.submit(p, default_kernel(Precision::s, side.limits()), SharingMode::staged);
    FAIL() << "it was submitted";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("100 bytes of device memory"), std::string::npos);
  }
  EXPECT_EQ(c, std::vector<float>(900, 2));
}

}  // namespace
}  // namespace duoblas
