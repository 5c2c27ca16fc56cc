// Launches of bounded length: how many there are, by the layer's count, and that results are right.
#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <memory>
#include <optional>
#include <tuple>

#include "cl_layer/layer_control.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/level3/level3_job.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/tiled_points.hpp"
#include "opencl/device.hpp"
#include "opencl/function_table.hpp"
#include "problem/caller_level3.hpp"
#include "support/level3_case.hpp"
#include "support/reference_gemm.hpp"

namespace duoblas::test {
namespace {

constexpr double rate = 1e9;

struct BoundedLaunches : testing::Test {
  const LayerControl& layer = LayerControl::get();
  // A launch has a tile for each compute unit at least, and a large GPU has more units than these
  // products have tiles.
  void SetUp() override {
    layer.reset();
    constexpr unsigned cl_device_max_compute_units = 0x1002;
    layer.device_number(cl_device_max_compute_units, 2);
  }
  void TearDown() override {
    layer.reset();
    layer.true_driver();
  }

  static std::unique_ptr<GpuSide> side_with(std::optional<double> launch_seconds,
                                            std::size_t memory = 0) {
    auto side = std::make_unique<GpuSide>(cl::list_devices().at(0), GpuFolders{}, false, memory,
                                          GpuBounds{launch_seconds, {}});
    side->expect_rate(Precision::s, rate);
    return side;
  }
};

// A product with padding, its C and what it should be.
template <typename T>
struct ProductOf {
  Op op_a, op_b;
  std::int64_t m, n, k;
  T beta;
  static constexpr std::int64_t pad = 3;
  TestMatrix<T> a{op_a == Op::none ? m : k, op_a == Op::none ? k : m, pad, 1};
  TestMatrix<T> b{op_b == Op::none ? k : n, op_b == Op::none ? n : k, pad, 2};
  TestMatrix<T> c{m, n, pad, 3};
  TestMatrix<T> old_c = c;

  ProductOf(Op of_a, Op of_b, std::int64_t rows, std::int64_t columns, std::int64_t depth, T scale)
      : op_a(of_a), op_b(of_b), m(rows), n(columns), k(depth), beta(scale) {
    a.randomise(1);
    b.randomise(2);
    c.randomise(3);
    old_c = c;
  }

  GemmProblem problem() {
    return {.precision = precision_of<T>,
            .op_a = op_a,
            .op_b = op_b,
            .m = m,
            .n = n,
            .k = k,
            .alpha = 0.5,
            .a = a.data(),
            .lda = a.ld(),
            .b = b.data(),
            .ldb = b.ld(),
            .beta = beta,
            .c = c.data(),
            .ldc = c.ld()};
  }

  bool is_right() const {
    const Call<T> call{Layout::row_major, op_a,     op_b,   m,        n,      k,
                       T(0.5f),           a.data(), a.ld(), b.data(), b.ld(), beta};
    const auto dense = [&](const TestMatrix<T>& x) {
      return dense_op(x.data(), x.ld(), Layout::row_major, Op::none, m, n);
    };
    return c.guards_untouched() && scaled_error(call, dense(old_c), dense(c)) < 1;
  }
};

using Product = ProductOf<float>;

TEST_F(BoundedLaunches, AreAsManyAsTheBoundAsksFor) {
  // 2 * 509 * 301 * 203 flops are 62 ms at this rate.
  for (const auto& [seconds, least, most] :
       {std::tuple{0.0, 1l, 1l}, {1.0, 1l, 1l}, {0.01, 7l, 8l}}) {
    const auto opened = side_with(seconds);
    GpuSide& side = *opened;
    KernelParams kernel = default_kernel(Precision::s, side.limits());
    kernel.pack_a = kernel.pack_b = false;
    Product product(Op::none, Op::none, 509, 301, 203, 0);
    layer.reset();
    side.submit(product.problem(), kernel, SharingMode::host_pointer).wait();
    EXPECT_TRUE(product.is_right());
    EXPECT_GE(layer.calls_of("clEnqueueNDRangeKernel"), least) << seconds;
    EXPECT_LE(layer.calls_of("clEnqueueNDRangeKernel"), most) << seconds;
    EXPECT_GE(layer.calls_of("clFlush"), least);
  }
}

TEST_F(BoundedLaunches, OfACpuDeviceAreNotBoundUnlessAskedFor) {
  const auto opened = side_with({});
  GpuSide& side = *opened;
  Product product(Op::none, Op::none, 509, 301, 203, 0);
  KernelParams kernel = default_kernel(Precision::s, side.limits());
  kernel.pack_a = kernel.pack_b = false;
  layer.reset();
  side.submit(product.problem(), kernel, SharingMode::host_pointer).wait();
  EXPECT_EQ(layer.calls_of("clEnqueueNDRangeKernel"), 1);
}

TEST_F(BoundedLaunches, GiveTheSameBitsAsOne) {
  const auto first = side_with(0.0), second = side_with(1e-6);  // the least that a launch can be
  GpuSide &one = *first, &many = *second;
  for (const bool tiled : {false, true})
    for (const auto& [k_split, packs] : {std::pair{1, false}, {1, true}, {3, true}}) {
      KernelParams kernel = default_kernel(Precision::s, one.limits());
      if (tiled) {
        DeviceLimits gpu = one.limits();
        gpu.is_cpu = false;
        gpu.local_memory_bytes = std::size_t{16} << 10;
        kernel = default_kernel(Precision::s, gpu);
      }
      kernel.k_split = k_split;
      kernel.pack_a = kernel.pack_b = packs;
      kernel.image_a = kernel.image_b = false;
      for (const Op op_a : {Op::none, Op::transpose}) {
        const Op op_b = op_a == Op::none ? Op::transpose : Op::none;
        for (const float beta : {0.0f, -0.7f})
          for (const SharingMode mode : {SharingMode::host_pointer, SharingMode::staged})
            for (const auto& [m, n] : {std::pair{131, 517}, {7, 1999}, {515, 33}}) {
              SCOPED_TRACE(testing::Message()
                           << "tiled " << tiled << " k_split " << k_split << " packs " << packs
                           << " ops " << static_cast<int>(op_a) << static_cast<int>(op_b)
                           << " beta " << beta << " mode " << static_cast<int>(mode) << " m " << m
                           << " n " << n);
              Product whole(op_a, op_b, m, n, 67, beta), cut(op_a, op_b, m, n, 67, beta);
              layer.reset();
              one.submit(whole.problem(), kernel, mode).wait();
              const long launches = layer.calls_of("clEnqueueNDRangeKernel");
              layer.reset();
              many.submit(cut.problem(), kernel, mode).wait();
              EXPECT_GT(layer.calls_of("clEnqueueNDRangeKernel"), launches);
              ASSERT_TRUE(cut.is_right());
              for (std::int64_t row = 0; row < m; ++row)
                for (std::int64_t column = 0; column < n; ++column)
                  ASSERT_EQ(cut.c.at(row, column), whole.c.at(row, column));
            }
      }
    }
}

// Packed B has two lines of numbers for a column there, A one for a row.
TEST_F(BoundedLaunches, GiveTheSameBitsAsOneOfAComplexProductAsARealOne) {
  const auto first = side_with(0.0), second = side_with(1e-6);
  second->expect_rate(Precision::c, rate);
  KernelParams kernel = least_tiled();
  kernel.tile_rows = kernel.tile_cols = 4;
  kernel.vector_width = 2;
  kernel.group_rows = kernel.group_cols = 8;
  kernel.k_unroll = 4;
  kernel.local_a = kernel.local_b = kernel.pack_a = kernel.pack_b = kernel.as_real = true;
  using Complex = std::complex<float>;
  for (const auto& [m, n] : {std::pair{131, 517}, {7, 1999}}) {
    ProductOf<Complex> whole(Op::none, Op::conj_transpose, m, n, 67, {-0.7f, 0.2f}), cut = whole;
    layer.reset();
    first->submit(whole.problem(), kernel, SharingMode::staged).wait();
    const long launches = layer.calls_of("clEnqueueNDRangeKernel");
    layer.reset();
    second->submit(cut.problem(), kernel, SharingMode::staged).wait();
    EXPECT_GT(layer.calls_of("clEnqueueNDRangeKernel"), launches);
    ASSERT_TRUE(cut.is_right()) << m << " x " << n;
    for (std::int64_t row = 0; row < m; ++row)
      for (std::int64_t column = 0; column < n; ++column)
        ASSERT_EQ(cut.c.at(row, column), whole.c.at(row, column));
  }
}

// Columns of a packed B of which a product has some rows only.
TEST_F(BoundedLaunches, MultiplyTrianglesInStepsByRowsOfWhatIsPacked) {
  const auto opened = side_with(1e-6);
  GpuSide& side = *opened;
  KernelParams kernel = default_kernel(Precision::s, side.limits());
  if (kernel.family != KernelFamily::panel) return;
  kernel.pack_b = true;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    Level3Factors f{Routine::trmm, Layout::row_major, Side::left, uplo};
    f.order = 96;
    f.free = 300;
    layer.reset();
    expect_right<float>(f, [&](const CallerLevel3& call) {
      start_level3(side.device(), to_row_major(call), kernel, {48, 24, std::size_t{4} << 20, 11},
                   {{true, true, false}, {}})
          .wait();
    });
    EXPECT_GT(layer.calls_of("clEnqueueNDRangeKernel"), 30) << "in several launches each";
  }
}

TEST_F(BoundedLaunches, BeginSmallWhereNothingIsKnownOfAKernel) {
  // By the guess for unknown kernels this is 60 times the bound.
  GpuSide side(cl::list_devices().at(0), {}, false, 0, {0.001, {}});
  KernelParams kernel = default_kernel(Precision::s, side.limits());
  Product first(Op::none, Op::none, 512, 512, 512, 0), second = first;
  layer.reset();
  side.submit(first.problem(), kernel, SharingMode::host_pointer).wait();
  EXPECT_TRUE(first.is_right());
  const long at_first = layer.calls_of("clWaitForEvents");
  layer.reset();
  side.submit(second.problem(), kernel, SharingMode::host_pointer).wait();
  EXPECT_TRUE(second.is_right());
  // Copies are waited for, too.
  const long later = layer.calls_of("clWaitForEvents");
  EXPECT_GT(at_first, later + 1);
  if (side.sharing().granularity() == 1) {
    EXPECT_EQ(later, 1);
  }
}

TEST_F(BoundedLaunches, AreStreamedToo) {
  for (const float beta : {0.0f, -0.7f})
    for (const SharingMode mode : {SharingMode::host_pointer, SharingMode::staged}) {
      const auto opened = side_with(0.002, std::size_t{1} << 20);
      GpuSide& side = *opened;
      const KernelParams kernel = default_kernel(Precision::s, side.limits());
      Product product(Op::none, Op::transpose, 701, 503, 307, beta);
      layer.reset();
      side.submit(product.problem(), kernel, mode).wait();
      EXPECT_TRUE(product.is_right());
      // A launch has a tile for each compute unit at least, and no block here has more of a GPU's.
      if (kernel.family == KernelFamily::panel) {
        EXPECT_GT(layer.calls_of("clEnqueueNDRangeKernel"), 50);
      }
    }
}

// A queue in order goes on behind a launch that failed.
TEST_F(BoundedLaunches, FailWithAnyOfThem) {
  const auto opened = side_with(0.01);
  GpuSide& side = *opened;
  KernelParams kernel = default_kernel(Precision::s, side.limits());
  kernel.pack_a = kernel.pack_b = false;
  for (const char* spec : {"clEnqueueNDRangeKernel:1", "clEnqueueNDRangeKernel:3", "clFlush:4"})
    for (const SharingMode mode : {SharingMode::host_pointer, SharingMode::staged}) {
      Product product(Op::none, Op::none, 509, 301, 203, -0.7f);
      layer.fail(spec);
      EXPECT_THROW(side.submit(product.problem(), kernel, mode).wait(), DeviceError) << spec;
      layer.reset();
      for (std::int64_t row = 0; row < product.m; ++row)
        for (std::int64_t column = 0; column < product.n; ++column)
          ASSERT_EQ(product.c.at(row, column), product.old_c.at(row, column));
    }
}

// Where k comes in slices nobody waits for each of them: they are asked afterwards.
TEST_F(BoundedLaunches, FailWithAnyOfThemInASliceOfK) {
  const auto opened = side_with(1e-6, std::size_t{1} << 20);  // the least that a launch can be
  GpuSide& side = *opened;
  const KernelParams kernel = default_kernel(Precision::s, side.limits());
  const auto run = [&] {
    Product product(Op::none, Op::none, 67, 301, 9000, 0);
    side.submit(product.problem(), kernel, SharingMode::staged).wait();
    return product.is_right();
  };
  EXPECT_TRUE(run());
  for (long launch = 1; launch <= 8; ++launch) {
    layer.fail_kernel("gemm", launch, CL_OUT_OF_RESOURCES);
    EXPECT_THROW(run(), DeviceError) << launch;
    layer.true_driver();
  }
}

}  // namespace
}  // namespace duoblas::test
