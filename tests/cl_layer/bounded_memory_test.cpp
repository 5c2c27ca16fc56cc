// How much memory products take beside their operands, by the layer's count of buffers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include <duoblas/error.hpp>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/ones.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/level3/level3_job.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/device.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

struct BoundedMemory : testing::Test {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }
};

TEST_F(BoundedMemory, OfTheDeviceIsNeverExceeded) {
  for (const std::size_t limit :
       {std::size_t{64} << 10, std::size_t{256} << 10, std::size_t{3} << 20}) {
    GpuSide side(cl::list_devices().at(0), {}, false, limit);
    KernelParams kernel = default_kernel(Precision::s, side.limits());
    // One after another on one side, in proportions that ask for other buffers each time.
    for (const bool packs : {false, true}) {
      kernel.pack_a = kernel.pack_b = packs;
      for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{500, 333, 420},
                                                                            {20, 3000, 30},
                                                                            {3000, 20, 30},
                                                                            {30, 20, 9000},
                                                                            {90, 80, 70},
                                                                            {501, 502, 503}})
        for (const SharingMode mode : {SharingMode::staged, SharingMode::host_pointer})
          for (const float beta : {0.0f, 3.0f}) {
            Ones product(m, n, k, beta);
            layer.reset();
            side.submit(product.problem(), kernel, mode).wait();
            EXPECT_TRUE(product.is_right());
            EXPECT_LE(layer.peak_bytes(0), static_cast<long>(limit))
                << m << ' ' << n << ' ' << k << " packed " << packs;
          }
    }
  }
}

TEST_F(BoundedMemory, IsNotExceededByIntegersEither) {
  struct Case {
    std::size_t limit;
    std::int64_t m, n, k;
  };
  for (const Case& of :
       {Case{std::size_t{160} << 10, 510, 95, 1}, Case{std::size_t{256} << 10, 411, 778, 8},
        Case{std::size_t{3} << 20, 893, 1045, 134}}) {
    SCOPED_TRACE(of.limit);
    GpuSide side(cl::list_devices().at(0), {}, false, of.limit);
    std::vector<double> a(static_cast<std::size_t>(of.m * of.k), 1),
        b(static_cast<std::size_t>(of.k * of.n), 1), c(static_cast<std::size_t>(of.m * of.n), 2);
    GemmProblem p;
    p.precision = Precision::d;
    p.m = of.m;
    p.n = p.ldb = p.ldc = of.n;
    p.k = p.lda = of.k;
    p.a = a.data();
    p.b = b.data();
    p.beta = 3;
    p.c = c.data();
    layer.reset();
    side.submit(p, integers_kernel(side.limits()), SharingMode::staged).wait();
    EXPECT_EQ(c, std::vector<double>(c.size(), static_cast<double>(of.k) + 6));
    EXPECT_LE(layer.peak_bytes(0), static_cast<long>(of.limit));
  }
}

TEST_F(BoundedMemory, HoldsAWholeLevel3CallOrIsNotAskedFor) {
  int taken = 0, refused = 0;
  for (const std::size_t limit : {std::size_t{96} << 10, std::size_t{3} << 20}) {
    GpuSide side(cl::list_devices().at(0), {}, false, limit);
    KernelParams kernel = default_kernel(Precision::d, side.limits());
    kernel.pack_a = kernel.pack_b = true;
    for (const auto& [lines, sides] :
         std::vector<std::array<std::int64_t, 2>>{{60, 40}, {20, 200}, {200, 20}, {90, 130}})
      for (const Routine routine : {Routine::symm, Routine::syr2k, Routine::trmm, Routine::trsm}) {
        Level3Factors f{routine};
        f.order = lines;
        f.free = sides;
        f.beta = 0.5;
        const BlockSizes sizes = block_sizes(lines);
        Level3Matrices<double> shapes(f);
        if (!takes_level3(*side.device(), to_row_major(shapes.call(f)), kernel, sizes)) {
          ++refused;
          EXPECT_THROW(start_level3(side.device(), to_row_major(shapes.call(f)), kernel, sizes),
                       DeviceError);
          continue;
        }
        ++taken;
        expect_right<double>(f, [&](const CallerLevel3& call) {
          layer.reset();
          start_level3(side.device(), to_row_major(call), kernel, sizes).wait();
          EXPECT_LE(layer.peak_bytes(0), static_cast<long>(limit));
        });
      }
  }
  EXPECT_GT(taken, 10);
  EXPECT_GT(refused, 3);
}

// An identity as the matrix, and as factors. Of QR each panel's T goes to the device.
TEST_F(BoundedMemory, HoldsAWholeLapackCallWhereItIsAsLargeAsThatSays) {
  constexpr std::int64_t n = 96, width = 16, sides = 70;
  std::vector<double> a(n * n), b(n * sides), zeros(n * n), tau(n);
  std::vector<std::int32_t> pivots(n);
  for (std::int64_t i = 0; i < n; ++i) {
    a[static_cast<std::size_t>(i * (n + 1))] = 1;
    pivots[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i + 1);
  }
  GpuSide any(cl::list_devices().at(0), {});
  const KernelParams kernel = default_kernel(Precision::d, any.limits());
  for (const LapackRoutine routine :
       {LapackRoutine::getrf, LapackRoutine::potrf, LapackRoutine::getrs, LapackRoutine::geqrf}) {
    SCOPED_TRACE(name(routine, Precision::d));
    LapackProblem p;
    p.routine = routine;
    p.precision = Precision::d;
    p.m = p.n = p.lda = p.ldb = n;
    p.uplo = Uplo::lower;
    p.a = a.data();
    p.b = b.data();
    p.tau = tau.data();
    p.pivots = pivots.data();
    if (routine == LapackRoutine::getrs) p.right_sides = sides;
    DeviceLimits limits = any.limits();
    std::size_t least = 1;
    for (std::size_t step = std::size_t{1} << 24; step > 0; step /= 2) {
      limits.memory_bytes = least + step - 1;
      if (!device_bytes(p, kernel, width, limits)) least += step;
    }
    GpuSide side(cl::list_devices().at(0), {}, false, least);
    layer.reset();
    const auto factors = make_factors(side.device(), p, kernel, width);
    factors->send(0);
    if (routine == LapackRoutine::getrs) factors->apply({}, {0, sides});
    if (routine == LapackRoutine::geqrf)
      for (std::int64_t first = 0; first < n; first += width)
        factors->reflect({{first, width}, Op::transpose, zeros.data(), n, zeros.data(), width});
    factors->abandon();
    EXPECT_GT(layer.peak_bytes(0), 0);
    EXPECT_LE(layer.peak_bytes(0), static_cast<long>(least));
  }
}

// The factors of an identity; many more right-hand sides than it has columns. What a product before
// it has left on the device counts, too.
TEST_F(BoundedMemory, HoldsASolveBesideTheFactorsOrLeavesItAlone) {
  constexpr std::int64_t n = 96, width = 16, sides = 400;
  std::vector<double> a(n * n), b(n * sides, 3.0);
  std::vector<std::int32_t> pivots(n);
  for (std::int64_t i = 0; i < n; ++i) {
    a[static_cast<std::size_t>(i * (n + 1))] = 1;
    pivots[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i + 1);
  }
  LapackProblem getrf;
  getrf.precision = Precision::d;
  getrf.m = getrf.n = getrf.lda = getrf.ldb = n;
  getrf.a = a.data();
  getrf.b = b.data();
  getrf.pivots = pivots.data();
  LapackProblem getrs = getrf;
  getrs.routine = LapackRoutine::getrs;
  getrs.right_sides = sides;
  GpuSide any(cl::list_devices().at(0), {});
  KernelParams kernel = default_kernel(Precision::d, any.limits());
  kernel.pack_a = kernel.pack_b = true;
  const auto of_lu = device_bytes(getrf, kernel, width, any.limits());
  const auto of_solve = device_bytes(getrs, kernel, width, any.limits());
  ASSERT_TRUE(of_lu && of_solve);
  const std::size_t least = of_lu->total() + of_solve->b + of_solve->c;
  int solved = 0;
  for (const bool after_product : {false, true})
    for (const std::size_t limit : {least, least + least / 4, 3 * least}) {
      SCOPED_TRACE(limit);
      GpuSide side(cl::list_devices().at(0), {}, false, limit);
      KernelParams of_product = default_kernel(Precision::s, side.limits());
      if (after_product) {
        Ones product(400, 300, 20, 0);
        side.submit(product.problem(), of_product, SharingMode::staged).wait();
      }
      layer.reset();
      const auto factors = make_factors(side.device(), getrf, kernel, width);
      std::copy_n(a.data(), n * width, static_cast<double*>(factors->panel()));
      factors->send(width);
      for (std::int64_t first = 0; first + width < n; first += width) {
        factors->apply({first, width}, {first + width, width});
        factors->wait_for_next();
      }
      factors->finish();
      if (const auto solver = factors->solver(getrs)) {
        ++solved;
        solver->send(0);
        solver->apply({}, {0, sides});
        solver->wait_for_next();
        solver->finish();
        EXPECT_EQ(b, std::vector<double>(n * sides, 3.0));
      }
      EXPECT_LE(layer.peak_bytes(0), static_cast<long>(limit));
    }
  EXPECT_GE(solved, 2);
  EXPECT_LT(solved, 6);
}

TEST_F(BoundedMemory, ThatIsPageLockedIsAFewBlocksHoweverLargeTheProduct) {
  constexpr long most = 56 << 20;  // 6 blocks of 4 MiB up and 8 down
  GpuSide side(cl::list_devices().at(0), {});
  const KernelParams kernel = default_kernel(Precision::s, side.limits());
  for (const float beta : {0.0f, 3.0f}) {
    Ones product(5000, 5000, 8, beta);  // C has 100 MB
    side.submit(product.problem(), kernel, SharingMode::staged).wait();
    EXPECT_TRUE(product.is_right());
    EXPECT_GT(layer.peak_bytes(1), 0);
    EXPECT_LE(layer.peak_bytes(1), most);
  }
}

// A and C once each way; B, which fits, once however many panels there are.
TEST_F(BoundedMemory, BringsWhatStaysOnce) {
  GpuSide side(cl::list_devices().at(0), {}, false, std::size_t{1} << 20);
  KernelParams kernel = default_kernel(Precision::s, side.limits());
  for (const bool packs : {false, true}) {
    kernel.pack_b = packs;
    Ones product(4000, 64, 256, 0);
    layer.reset();
    side.submit(product.problem(), kernel, SharingMode::staged).wait();
    EXPECT_TRUE(product.is_right());
    EXPECT_EQ(layer.bytes_copied(), 4 * (4000 * 256 + 256 * 64 + 4000 * 64));
  }
}

// Each panel is a product; what stays is packed before the first.
TEST_F(BoundedMemory, IsPackedOnceWhereItStays) {
  GpuSide side(cl::list_devices().at(0), {}, false, std::size_t{1} << 20);
  KernelParams kernel = default_kernel(Precision::s, side.limits());
  kernel.pack_a = false;
  const auto launches = [&](bool packs) {
    kernel.pack_b = packs;
    Ones product(4000, 64, 256, 0);
    layer.reset();
    side.submit(product.problem(), kernel, SharingMode::staged).wait();
    return layer.calls_of("clEnqueueNDRangeKernel");
  };
  const long alone = launches(false);
  EXPECT_GT(alone, 4);
  const long with_packing = launches(true);
  // Packed, B takes more of the limit, so that there may be more panels; never twice as many.
  EXPECT_LT(with_packing, 2 * alone);
}

}  // namespace
}  // namespace duoblas::test
