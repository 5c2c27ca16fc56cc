// The kernels that are used without a choice of one's own, defaults and candidates, against the
// reference, both families: on a CPU device the tiled family runs too, only slowly.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/guard_page.hpp"
#include "gpu/side_front.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/turns.hpp"

namespace duoblas {
namespace {

using test::Call;
using test::CaseFactors;
using test::Front;
using test::problem_of;

constexpr Op kOps[] = {Op::none, Op::transpose, Op::conj_transpose};
constexpr KernelFamily kFamilies[] = {KernelFamily::panel, KernelFamily::tiled};

GpuSide& side() {
  static auto* const once = new GpuSide(test::first_device(), {});
  return *once;
}

// The device as each family expects it. Small groups keep the tiled family bearable on a CPU.
DeviceLimits limits_for(KernelFamily family) {
  DeviceLimits limits = side().limits();
  limits.is_cpu = family == KernelFamily::panel;
  if (!limits.is_cpu) {
    limits.max_work_group_size = std::min<std::size_t>(limits.max_work_group_size, 256);
    limits.local_memory_bytes = 48 << 10;
  } else if (!side().limits().is_cpu) {
    limits.vector_bytes = 16;
  }
  return limits;
}

template <typename T>
Front<T> kernel_front(const KernelParams& kernel) {
  return [kernel](const Call<T>& call, T* c, std::int64_t ldc) {
    side().submit(problem_of(call, c, ldc), kernel, side().best_sharing()).wait();
  };
}

// Sizes around the kernel's own tiles, with the depth around its slices.
std::vector<std::array<std::int64_t, 3>> sizes_for(const KernelParams& p) {
  const std::int64_t rows = row_tile(p), cols = col_tile(p);
  if (p.family == KernelFamily::tiled)
    return {{1, 1, 1}, {rows + 1, cols - 1, 7}, {rows - 1, cols + 3, 2 * p.k_unroll + 1}};
  const std::int64_t deep = p.block_k <= 384 ? p.block_k + 3 : 41;
  return {{1, 1, 1}, {rows + 1, cols - 1, 7}, {2 * rows - 1, cols + 3, 33}, {rows, cols, deep}};
}

// A device without double precision computes none of T's products, and says why.
template <typename T>
bool is_refused() {
  if (!is_double(precision_of<T>) || side().limits().has_fp64) return false;
  T number = 1;
  const Call<T> call{Layout::row_major, Op::none, Op::none, 1, 1,   1, T(1),
                     &number,           1,        &number,  1, T(0)};
  try {
    // Of floats: those of doubles are of integers.
    kernel_front<T>(default_kernel(Precision::s, side().limits()))(call, &number, 1);
    ADD_FAILURE() << "a product without double precision";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("has no double precision"), std::string::npos);
  }
  return true;
}

template <typename T>
void expect_kernel_right(const KernelParams& kernel, Op op_a, Op op_b) {
  SCOPED_TRACE(describe(kernel));
  double beta = 0;
  for (const auto& [m, n, k] : sizes_for(kernel)) {
    test::expect_right<T>({.op_a = op_a,
                           .op_b = op_b,
                           .m = std::max<std::int64_t>(m, 1),
                           .n = std::max<std::int64_t>(n, 1),
                           .k = k,
                           .pad = k % 4,
                           .offset = m % 3,
                           .alpha = 0.6,
                           .beta = beta},
                          kernel_front<T>(kernel));
    beta = beta == 0 ? -0.7 : 0;
  }
}

template <typename T>
struct Kernels : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Kernels, ElementTypes);

// Compiling is what takes the time: the element types take turns at the candidates. Other ops, and
// points that are no candidates, are kernel_space_test's.
template <typename T>
void expect_candidates_right(KernelFamily family) {
  constexpr Precision precisions[] = {Precision::s, Precision::d, Precision::c, Precision::z};
  const auto first = std::ranges::find(precisions, precision_of<T>) - precisions;
  const auto points = kernel_candidates(precision_of<T>, Op::none, Op::none, limits_for(family));
  ASSERT_GE(points.size(), 18u);
  // Of the other kind of device's, for which this one's compiler takes longer, a third.
  const bool is_own = (family == KernelFamily::panel) == side().limits().is_cpu;
  for (std::size_t i = static_cast<std::size_t>(first); i < points.size(); i += is_own ? 4 : 12)
    expect_kernel_right<T>(points[i], Op::none, Op::none);
}

TYPED_TEST(Kernels, OfTheTunersPanelCandidatesAreRight) {
  if (is_refused<TypeParam>()) return;
  expect_candidates_right<TypeParam>(KernelFamily::panel);
}

TYPED_TEST(Kernels, OfTheTunersTiledCandidatesAreRight) {
  if (is_refused<TypeParam>()) return;
  expect_candidates_right<TypeParam>(KernelFamily::tiled);
}

// What is a factor of two values here takes turns with the element type, so that any two factors
// together, and any three, have all their values in a usual run.
bool has_turn(Precision precision, KernelFamily family, int number) {
  return test::has_turn(precision, static_cast<int>(family) + number);
}

TYPED_TEST(Kernels, OfTheDefaultAreRightForEveryPairOfOps) {
  if (is_refused<TypeParam>()) return;
  constexpr Precision precision = precision_of<TypeParam>;
  for (const KernelFamily family : kFamilies)
    for (const auto& [op_a, op_b] : test::op_pairs_in_turn(precision, static_cast<int>(family)))
      expect_kernel_right<TypeParam>(default_kernel(precision, limits_for(family)), op_a, op_b);
}

// The built-in kernels of doubles by size and for odd rows; more slices than their rings have. Only
// devices with matrix instructions have them.
TEST(KernelsOfDoubles, OfFewElementsAndOfOddRowsAreRight) {
  const DeviceLimits& limits = side().limits();
  std::vector<KernelParams> even = {default_tiled(Precision::d).front()};
  for (const BuiltInKernel& p : built_in_kernels(KernelUse::by_size, Precision::d))
    even.push_back(p.kernel);
  constexpr std::array<std::pair<Op, Op>, 3> pairs = {
      std::pair{Op::none, Op::none}, {Op::none, Op::transpose}, {Op::transpose, Op::none}};
  for (const auto& [op_a, op_b] : pairs) {
    std::vector<KernelParams> kernels = even;
    for (const KernelParams& p : even)
      kernels.push_back(tiled_for_odd_rows(p, Precision::d, op_a, op_b));
    kernels.push_back(built_in_kernels(KernelUse::odd_rows_packed, Precision::d).front().kernel);
    for (const KernelParams& kernel : kernels) {
      SCOPED_TRACE(describe(kernel));
      const KernelRule* const broken = violated_rule(kernel, Precision::d, limits);
      const bool has_instructions = limits.async_copies && limits.fp64_matrix;
      if (broken != nullptr) {
        // GPUs of workstations have less local memory.
        EXPECT_TRUE(!has_instructions || broken->name == "local_memory") << broken->name;
        continue;
      }
      EXPECT_TRUE(has_instructions);
      for (const std::int64_t pad : {0, 1, 2})
        test::expect_right<double>({.op_a = op_a,
                                    .op_b = op_b,
                                    .m = row_tile(kernel) + 6 - pad,
                                    .n = col_tile(kernel) + 8 - pad,
                                    .k = 9 * kernel.k_unroll * kernel.group_depth + 4 - pad,
                                    .pad = pad,
                                    .alpha = 0.6,
                                    .beta = pad == 0 ? 0.0 : -0.7},
                                   kernel_front<double>(kernel));
    }
  }
}

// Small tiles, by operations that every device has.
KernelParams small_tiled() {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.tile_rows = p.tile_cols = 4;
  p.group_rows = 4;
  p.group_cols = 8;
  p.k_unroll = 8;
  p.multiply_add = MultiplyAdd::plain;
  return p;
}

// A complex product as a real one packs each operand in a way of its own for each op.
TYPED_TEST(Kernels, OfComplexProductsAsRealOnesAreRightForEveryOp) {
  if (!is_complex(precision_of<TypeParam>) || is_refused<TypeParam>()) return;
  KernelParams kernel = small_tiled();
  kernel.vector_width = 2;
  kernel.local_a = kernel.local_b = kernel.pack_a = kernel.pack_b = kernel.as_real = true;
  const DeviceLimits limits = limits_for(KernelFamily::tiled);
  ASSERT_EQ(violated_rule(kernel, precision_of<TypeParam>, limits), nullptr);
  int number = 0;
  const auto right = [&](Op op_a, Op op_b) {
    if (test::has_turn(precision_of<TypeParam>, number++))
      expect_kernel_right<TypeParam>(kernel, op_a, op_b);
  };
  right(Op::none, Op::transpose);
  right(Op::transpose, Op::conj_transpose);
  right(Op::conj_transpose, Op::none);
  kernel.group_depth = 2;
  kernel.vector_width = 4;
  kernel.prefetch = 0;
  right(Op::none, Op::conj_transpose);
}

// Wider along m, and along n; slices, no local memory, packed operands, and images of either.
TYPED_TEST(Kernels, OfAnotherWidthAlongMThanAlongNAreRight) {
  if (is_refused<TypeParam>()) return;
  constexpr Precision precision = precision_of<TypeParam>;
  const int pixel = 16 / static_cast<int>(sizeof(TypeParam));
  KernelParams p = small_tiled();
  int number = 0;
  const auto right = [&](int along_m, int along_n, Op op_a, Op op_b) {
    p.vector_width_m = along_m;
    p.vector_width = along_n;
    const KernelRule* const rule = violated_rule(p, precision, limits_for(KernelFamily::tiled));
    ASSERT_EQ(rule, nullptr) << describe(p) << ": " << rule->name;
    if (test::has_turn(precision, number++)) expect_kernel_right<TypeParam>(p, op_a, op_b);
  };
  right(4, 1, Op::none, Op::transpose);
  p.local_a = p.local_b = true;
  right(1, 4, Op::none, Op::none);
  right(4, 2, Op::transpose, Op::transpose);
  p.local_a = false;
  right(2, 4, Op::none, Op::conj_transpose);
  if (limits_for(KernelFamily::tiled).max_image_pixels == 0) return;
  p.local_a = true;
  p.pack_a = p.image_a = true;
  right(pixel, pixel == 1 ? 2 : 1, Op::none, Op::none);
  p.pack_a = p.image_a = false;
  p.pack_b = p.image_b = true;
  right(pixel == 4 ? 2 : 4, pixel, Op::transpose, Op::none);
}

// Each op, so that pixels lie along the tile and along k; rows of whole pixels, with and without a
// gap behind them, and others, which the kernel reads from the buffer.
TYPED_TEST(Kernels, ReadOperandsInPlaceAsImages) {
  if (is_refused<TypeParam>()) return;
  if (limits_for(KernelFamily::tiled).max_image_pixels == 0) return;
  KernelParams p = small_tiled();
  p.local_a = p.local_b = true;
  p.vector_width = 16 / static_cast<int>(sizeof(TypeParam));
  int point = 0;
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose}) {
      p.image_a = point != 1;
      p.image_b = point != 2;
      p.k_split = point == 3 ? 2 : 1;
      ASSERT_EQ(violated_rule(p, precision_of<TypeParam>, limits_for(KernelFamily::tiled)),
                nullptr);
      if (!test::has_turn(precision_of<TypeParam>, point++)) continue;
      SCOPED_TRACE(describe(p));
      double beta = 0;
      for (const std::int64_t pad : {0, 4, 1})
        for (const std::int64_t offset : {0, 1}) {
          test::expect_right<TypeParam>({.op_a = op_a,
                                         .op_b = op_b,
                                         .m = 44,
                                         .n = 36,
                                         .k = 28,
                                         .pad = pad,
                                         .offset = offset,
                                         .alpha = 0.6,
                                         .beta = beta},
                                        kernel_front<TypeParam>(p));
          beta = beta == 0 ? -0.7 : 0;
        }
      const KernelVariant with_images =
          normalised({p, precision_of<TypeParam>, op_a, op_b, Guard::none, Rows::whole});
      EXPECT_TRUE(with_images.params.image_a || with_images.params.image_b);
      EXPECT_TRUE(side().device()->kernels.has(with_images)) << "no product was computed by it";
    }
}

// A default as it is, and with packed operands; some pack in any case.
template <typename T>
std::vector<KernelParams> unpacked_and_packed(KernelFamily family) {
  std::vector<KernelParams> kernels;
  for (const bool packed : {false, true}) {
    KernelParams kernel = default_kernel(precision_of<T>, limits_for(family));
    kernel.pack_a = kernel.pack_b = packed;
    if (violated_rule(kernel, precision_of<T>, limits_for(family)) == nullptr)
      kernels.push_back(kernel);
  }
  EXPECT_FALSE(kernels.empty());
  return kernels;
}

// Operands that end at an unreadable page, with no padding behind the last row.
TYPED_TEST(Kernels, ReadNothingBehindTheLastElement) {
  if (is_refused<TypeParam>()) return;
  using T = TypeParam;
  for (const KernelFamily family : kFamilies) {
    for (const KernelParams& kernel : unpacked_and_packed<T>(family)) {
      SCOPED_TRACE(describe(kernel));
      for (const Op op : {Op::none, Op::transpose}) {
        if (!has_turn(precision_of<T>, family, static_cast<int>(op) + kernel.pack_a)) continue;
        for (const auto& [m, n, k] : {std::array{5, 3, 9}, std::array{19, 70, 21}}) {
          const auto count = [](int x, int y) { return static_cast<std::size_t>(x * y); };
          test::GuardedArray<T> a(count(m, k)), b(count(k, n)), c(count(m, n));
          std::mt19937_64 engine(3);
          for (std::size_t i = 0; i < count(m, k); ++i) a[i] = test::random_value<T>(engine);
          for (std::size_t i = 0; i < count(k, n); ++i) b[i] = test::random_value<T>(engine);
          const bool none = op == Op::none;
          const Call<T> call{Layout::row_major, op,       op,           m,   n, k, T(1), a.data(),
                             none ? k : m,      b.data(), none ? n : k, T(0)};
          kernel_front<T>(kernel)(call, c.data(), n);
          const auto result = test::dense_op(c.data(), n, Layout::row_major, Op::none, m, n);
          EXPECT_LT(test::scaled_error(call, {}, result), 1.0);
        }
      }
    }
  }
}

// A NaN in row 2 of op(A) and an infinity in column 4 of op(B) reach that row and that column of
// C, and nothing else: padding multiplies nothing.
TYPED_TEST(Kernels, SpreadNonFiniteValuesOnlyWhereTheyBelong) {
  if (is_refused<TypeParam>()) return;
  using T = TypeParam;
  for (const KernelFamily family : kFamilies) {
    for (const KernelParams& kernel : unpacked_and_packed<T>(family)) {
      SCOPED_TRACE(describe(kernel));
      constexpr std::int64_t m = 7, n = 9, k = 5;
      for (const Op op : kOps) {
        if (!has_turn(precision_of<T>, family, static_cast<int>(op) + kernel.pack_a)) continue;
        test::TestMatrix<T> a(op == Op::none ? m : k, op == Op::none ? k : m);
        test::TestMatrix<T> b(op == Op::none ? k : n, op == Op::none ? n : k);
        test::TestMatrix<T> c(m, n);
        a.randomise(1);
        b.randomise(2);
        op == Op::none ? a.at(2, 4) = test::nan_value<T>() : a.at(4, 2) = test::nan_value<T>();
        const T infinity(std::numeric_limits<test::Real<T>>::infinity());
        b.at(4, 4) = infinity;
        const Call<T> call{Layout::row_major, op,     op,       m,      n,   k, T(1),
                           a.data(),          a.ld(), b.data(), b.ld(), T(0)};
        kernel_front<T>(kernel)(call, c.data(), c.ld());
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            EXPECT_EQ(std::isfinite(std::abs(c.at(i, j))), i != 2 && j != 4) << i << ' ' << j;
      }
    }
  }
}

}  // namespace
}  // namespace duoblas
