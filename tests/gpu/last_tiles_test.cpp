// Products whose last tiles are split along k (kernels/tiled_split.clh).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "gpu/kernels/launch.hpp"
#include "gpu/product/product.hpp"
#include "gpu/side_front.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/temporary_directory.hpp"
#include "support/turns.hpp"

namespace duoblas {
namespace {

namespace files = std::filesystem;

KernelParams split_last() {
  KernelParams p = least_tiled();
  p.tile_rows = p.tile_cols = p.group_rows = p.group_cols = p.k_unroll = 4;
  p.vector_width = 2;
  p.local_a = p.local_b = p.split_last = true;
  p.multiply_add = MultiplyAdd::plain;  // some drivers have no fma
  return canonical(p);
}

OpenedDevice& device() {
  static auto* const once = new OpenedDevice(test::first_device(), {});
  return *once;
}

BoundOperand sent(const void* from, std::int64_t rows, std::int64_t ld, std::size_t element) {
  const auto bytes = static_cast<std::size_t>(rows * ld) * element;
  BoundOperand bound;
  const auto buffer =
      std::make_shared<cl::Buffer>(device().context.allocate(bytes, cl::Access::read_write));
  device().queue.write(*buffer, static_cast<const char*>(from), {1, bytes, bytes, bytes, 0}, true);
  bound.buffer = buffer;
  bound.pitch_bytes = static_cast<std::size_t>(ld) * element;
  return bound;
}

// Of matrices without gaps, on a device of so many units.
template <typename T>
test::Front<T> front(const KernelParams& kernel, int units) {
  return [kernel, units](const test::Call<T>& call, T* c, std::int64_t ldc) {
    const GemmProblem p = test::problem_of(call, c, ldc);
    device().limits.compute_units = units;
    const ProductOperands operands{sent(p.a, stored_rows_a(p), p.lda, sizeof(T)),
                                   sent(p.b, stored_rows_b(p), p.ldb, sizeof(T)),
                                   sent(p.c, p.m, p.ldc, sizeof(T))};
    ProductScratch scratch;
    scratch.splits_last_tiles = true;
    device().queue.wait(submit_product(device(), p, kernel, operands, scratch));
    EXPECT_NE(scratch.partial, nullptr) << "no tile was split";
    const auto bytes = static_cast<std::size_t>(p.m * p.ldc) * sizeof(T);
    device().queue.read(*operands.c.buffer, reinterpret_cast<char*>(p.c),
                        {1, bytes, bytes, bytes, 0});
  };
}

template <typename T>
struct LastTilesOf : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LastTilesOf, ElementTypes);

// Fewer tiles than units, and more; bands along either side, so that tiles of the edge are whole
// and split; packed operands, and fragments ahead.
TYPED_TEST(LastTilesOf, AreRight) {
  using T = TypeParam;
  const DeviceLimits& limits = device().limits;
  if (is_double(precision_of<T>) && !limits.has_fp64) return;
  if (limits.loop_turns > 0) return;  // launches of so few turns split no tiles
  KernelParams plain = split_last(), banded = plain, packed = plain;
  banded.raster = 2;
  packed.loop_order = 1;
  packed.pack_a = packed.pack_b = packed.fragments = true;
  std::vector<KernelParams> kernels = {plain, banded, packed};
  if (is_complex(precision_of<T>)) {
    packed.as_real = true;
    kernels.push_back(packed);
  }
  double beta = 0;
  int number = 0;
  for (const KernelParams& kernel : kernels) {
    ++number;
    for (const int units : {2, 7}) {
      if (!test::has_turn(precision_of<T>, number + units)) continue;
      SCOPED_TRACE(describe(kernel) + ", units " + std::to_string(units));
      const KernelRule* const rule = violated_rule(kernel, precision_of<T>, device().limits);
      ASSERT_EQ(rule, nullptr) << rule->name;
      const std::int64_t rows = row_tile(kernel), cols = col_tile(kernel);
      const Op op = units == 2 ? Op::none : Op::transpose;
      for (const std::int64_t m : {3 * rows, 5 * rows - 3}) {
        test::expect_right<T>(
            {.op_a = op, .op_b = op, .m = m, .n = cols, .k = 6001, .alpha = 0.6, .beta = beta},
            front<T>(kernel, units));
        beta = beta == 0 ? -0.7 : 0;
      }
      test::expect_right<T>({.m = 3 * rows, .n = 3 * cols - 2, .k = 3200, .alpha = 0, .beta = 0.5},
                            front<T>(kernel, units));
    }
  }
}

std::string text_of(const files::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The products of a trial are too small for splitting to pay there.
TEST(LastTiles, AreInTrials) {
  const test::TemporaryDirectory folder;
  const files::path path = folder.path();
  files::copy(DUOBLAS_TEST_KERNEL_DIR, path,
              files::copy_options::recursive | files::copy_options::overwrite_existing);
  std::string reduce = text_of(path / "tiled_reduce.cl");
  const std::string sum = "sum += ";
  ASSERT_NE(reduce.find(sum), std::string::npos);
  reduce.replace(reduce.find(sum), sum.size(), "sum = ");
  std::ofstream(path / "tiled_reduce.cl") << reduce;
  const KernelVariant variant{split_last(), Precision::s, Op::none, Op::none};
  EXPECT_EQ(GpuSide(test::first_device(), {}).try_kernel(variant), "");
  EXPECT_NE(GpuSide(test::first_device(), {"", path.string()}).try_kernel(variant), "");
}

TEST(LastTiles, TakeMemoryOnlyWhereTheyMay) {
  const KernelVariant variant{split_last(), Precision::s, Op::none, Op::none};
  LaunchLimits limits{7, 0, SplitLast::where_it_pays};
  const Launch split = launch(variant, 5 * 16, 2 * 16, 4000, limits);
  EXPECT_EQ(split.whole_tiles, 7);
  EXPECT_EQ(split.splits, 2);
  EXPECT_EQ(split.product.global[0], (7 + 3 * 2) * 16u);
  EXPECT_EQ(split.partial_bytes, 3 * 2 * 256 * sizeof(float));
  EXPECT_EQ(launch(variant, 7 * 16, 2 * 16, 4000, limits).partial_bytes, 0u) << "even rounds";
  EXPECT_EQ(launch(variant, 5 * 16, 2 * 16, 40, limits).partial_bytes, 0u) << "short k";
  limits.split_last = SplitLast::never;
  const Launch whole = launch(variant, 5 * 16, 2 * 16, 4000, limits);
  EXPECT_EQ(whole.whole_tiles, 10);
  EXPECT_EQ(whole.splits, 0);
  EXPECT_EQ(whole.partial_bytes, 0u);
}

}  // namespace
}  // namespace duoblas
