// Large staged products: panels in both directions, on a device that has nothing to copy for.
#include <duoblas/error.hpp>

#include "gpu/product/operand_route.hpp"
#include "gpu/side_front.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

using test::CaseFactors;
using test::expect_right;
using test::side_front;

GpuSide& side() {
  static auto* const once = new GpuSide(test::first_device(), {});
  return *once;
}

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

template <typename T>
struct TransferPipelineOf : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(TransferPipelineOf, ElementTypes);

// Several panels: op(A) or op(B) has more than 12 MiB.
TYPED_TEST(TransferPipelineOf, MultipliesInPanelsOfRowsAndOfColumns) {
  const std::int64_t longer =
      (std::int64_t{12} << 20) / static_cast<std::int64_t>(1500 * sizeof(TypeParam)) + 77;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{longer, 9}, {9, longer}}) {
    for (const Op op_a : {Op::none, Op::transpose, Op::conj_transpose}) {
      for (const Op op_b : {Op::none, Op::transpose}) {
        CaseFactors factors;
        factors.layout = Layout::row_major;
        factors.op_a = op_a;
        factors.op_b = op_b;
        factors.m = m;
        factors.n = n;
        factors.k = 1500;
        factors.pad = 3;
        factors.alpha = 0.5;
        factors.beta = op_b == Op::none ? 0.0 : -0.7;
        expect_right<TypeParam>(factors, side_front<TypeParam>(side(), SharingMode::staged));
      }
    }
  }
}

TEST(TransferPipeline, MultipliesRowsThatAreLongerThanABlockOfTheRing) {
  CaseFactors factors;
  factors.layout = Layout::row_major;
  factors.m = 3;
  factors.n = 2;
  factors.k = (5 << 20) / 4 + 5;
  factors.op_b = Op::transpose;
  factors.pad = 1;
  expect_right<float>(factors, side_front<float>(side(), SharingMode::staged));
}

TEST(TransferPipeline, AJobThatIsDroppedHasEndedByThen) {
  const KernelParams kernel = default_kernel(Precision::s, side().limits());
  std::vector<float> a(600 * 700, 1), b(700 * 800, 1), c(600 * 800);
  GemmProblem p = problem(600, 800, 700);
  p.alpha = 1;
  p.a = a.data();
  p.lda = 700;
  p.b = b.data();
  p.ldb = 800;
  p.c = c.data();
  p.ldc = 800;
  ASSERT_TRUE(streaming_pays(p, {}));
  for (int round = 0; round < 5; ++round) {
    GpuJob job = side().submit(p, kernel, SharingMode::staged);
    job = GpuJob();
    EXPECT_EQ(c, std::vector<float>(c.size(), 700));
    c.assign(c.size(), 0);
  }
}

}  // namespace
}  // namespace duoblas
