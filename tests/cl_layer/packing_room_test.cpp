// Whether products of a program's queue have room for packed operands.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "cl_layer/device_blas_case.hpp"
#include "gpu/queued/queued_products.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/packing_kernel.hpp"

namespace duoblas::test {
namespace {

struct PackingRoomTest : DeviceBlasTest {
  static constexpr std::int64_t n = 75;

  // C = A B + 2 C, of ones.
  static QueuedProduct product_of(const Squares& squares, const KernelParams& kernel) {
    GemmProblem problem;
    problem.precision = Precision::s;
    problem.m = problem.n = problem.k = n;
    problem.alpha = 1;
    problem.beta = 2;
    return {
        problem, kernel, {squares.a.raw(), 0, n}, {squares.b.raw(), 0, n}, {squares.c.raw(), 0, n}};
  }
  void expect_all(const Squares& squares, std::int64_t value) {
    std::vector<float> result(squares.ones.size());
    download(squares.c, result.data(), result.size(), 0);
    EXPECT_EQ(result, std::vector<float>(result.size(), static_cast<float>(value)));
  }
};

// The program's matrices are in that memory, too.
TEST_F(PackingRoomTest, OfTheLibrarysOwnIsAQuarterOfTheDevicesMemory) {
  blas.reset();
  QueuedProducts products(queue.raw(), GpuFolders{});
  const KernelParams kernel = packing_kernel(Precision::s, products.limits(), true, true);
  const auto has_room = [&](std::size_t bytes_of_a) {
    GemmProblem problem;
    problem.precision = Precision::s;
    problem.n = 64;
    problem.k = 1024;
    problem.m = static_cast<std::int64_t>(bytes_of_a / sizeof(float) / 1024);
    problem.alpha = 1;
    return products.has_room(problem, kernel);
  };
  const std::size_t whole = products.limits().memory_bytes;
  ASSERT_GT(whole, std::size_t{64} << 20);
  EXPECT_TRUE(has_room(whole / 8));
  EXPECT_FALSE(has_room(whole / 2));
  EXPECT_FALSE(has_room(2 * whole));
}

// Drivers say so when a buffer is made, or at its first use by a kernel, as NVIDIA's does: of the
// one that packs A, of the one that packs B.
TEST_F(PackingRoomTest, ThatIsNotThereIsNotNeeded) {
  blas.reset();
  for (const char* call : {"clCreateBuffer:1=-4", "clCreateBuffer:2=-4", "clCreateBuffer:1=-61",
                           "clEnqueueNDRangeKernel:1=-4", "clEnqueueNDRangeKernel:2=-4",
                           "clEnqueueNDRangeKernel:3=-4"}) {
    SCOPED_TRACE(call);
    QueuedProducts products(queue.raw(), GpuFolders{});
    const Squares squares(*this, n);
    const KernelParams kernel = packing_kernel(Precision::s, products.limits(), true, true);
    layer.fail(call);
    products.enqueue(product_of(squares, kernel), {}, nullptr);
    EXPECT_EQ(layer.fired(), 1);
    layer.reset();
    expect_all(squares, n + 2);
    products.enqueue(product_of(squares, kernel), {}, nullptr);
    EXPECT_GE(layer.calls_of("clEnqueueNDRangeKernel"), 3) << "the next one packs again";
    expect_all(squares, n + 2 * (n + 2));
  }
}

TEST_F(PackingRoomTest, ThatIsNeededByEveryKernelIsAnError) {
  blas.reset();
  QueuedProducts products(queue.raw(), GpuFolders{});
  const Squares squares(*this, n);
  layer.fail("clEnqueueNDRangeKernel:1+=-4");
  EXPECT_THROW(products.enqueue(
                   product_of(squares, packing_kernel(Precision::s, products.limits(), true, true)),
                   {}, nullptr),
               DeviceError);
  layer.reset();
  expect_all(squares, 1);
}

// After a kernel that writes to C no other one may: C would have beta twice.
TEST_F(PackingRoomTest, ThatIsShortAfterTheLastKernelChangesNothing) {
  blas.reset();
  QueuedProducts products(queue.raw(), GpuFolders{});
  const Squares squares(*this, n);
  const KernelParams kernel = packing_kernel(Precision::s, products.limits(), true, true);
  layer.fail("clFlush:1=-4");
  EXPECT_THROW(products.enqueue(product_of(squares, kernel), {}, nullptr), DeviceError);
  EXPECT_EQ(layer.fired(), 1);
  layer.reset();
  queue.finish();
  expect_all(squares, n + 2);
}

// Bounded launches split no tiles.
const GpuBounds any_launch{0.0, {}};

// C = A B + 2 C of ones, by a kernel that has one tile more than the device has units, and splits k
// of that.
struct SplitTile {
  static constexpr std::int64_t tile = 16, depth = 3000;

  SplitTile(DeviceBlasTest& test, QueuedProducts& products)
      : rows((products.limits().compute_units + 1) * tile),
        a(ones(test, rows * depth)),
        b(ones(test, depth * tile)),
        c(ones(test, rows * tile)) {
    kernel.tile_rows = kernel.tile_cols = 4;
    kernel.split_last = true;
    problem.precision = Precision::s;
    problem.m = rows;
    problem.n = tile;
    problem.k = depth;
    problem.alpha = 1;
    problem.beta = 2;
  }
  static cl::Buffer ones(DeviceBlasTest& test, std::int64_t elements) {
    const std::vector<float> all(static_cast<std::size_t>(elements), 1);
    return test.upload(all.data(), all.size(), 0);
  }
  void enqueue(QueuedProducts& products) const {
    const QueuedProduct product{
        problem, kernel, {a.raw(), 0, depth}, {b.raw(), 0, tile}, {c.raw(), 0, tile}};
    products.enqueue(product, {}, nullptr);
  }
  void expect_all(DeviceBlasTest& test, std::int64_t value) const {
    std::vector<float> result(static_cast<std::size_t>(rows * tile));
    test.download(c, result.data(), result.size(), 0);
    EXPECT_EQ(result, std::vector<float>(result.size(), static_cast<float>(value)));
  }

  std::int64_t rows;
  cl::Buffer a, b, c;
  KernelParams kernel = least_tiled();
  GemmProblem problem;
};

// NVIDIA's driver says so at the first use of the memory for parts, when nothing is written yet.
TEST_F(PackingRoomTest, OfPartsOfTilesThatIsNotThereIsNotNeeded) {
  blas.reset();
  QueuedProducts products(queue.raw(), GpuFolders{}, any_launch);
  if (products.limits().compute_units == 1) return;  // no tiles are split
  const SplitTile product(*this, products);
  ASSERT_GT(products.workspace_bytes(product.problem, product.kernel), 0u);
  product.enqueue(products);
  product.expect_all(*this, product.depth + 2);
  layer.reset();
  layer.fail("clEnqueueNDRangeKernel:1=-4");
  product.enqueue(products);
  EXPECT_EQ(layer.fired(), 1);
  layer.reset();
  product.expect_all(*this, product.depth + 2 * (product.depth + 2));
}

// The kernel before has written whole tiles by then.
TEST_F(PackingRoomTest, ThatIsShortWherePartsOfTilesAreAddedIsAnError) {
  blas.reset();
  QueuedProducts products(queue.raw(), GpuFolders{}, any_launch);
  if (products.limits().compute_units == 1) return;  // no tiles are split
  const SplitTile product(*this, products);
  for (const char* refused : {"clEnqueueNDRangeKernel:2=-4", "clEnqueueNDRangeKernel:2=-54"}) {
    SCOPED_TRACE(refused);
    layer.reset();
    layer.fail(refused);
    EXPECT_THROW(product.enqueue(products), WrittenInPart);
    EXPECT_EQ(layer.fired(), 1);
    EXPECT_EQ(layer.calls_of("clEnqueueNDRangeKernel"), 2);
  }
  layer.reset();
  queue.finish();
}

// The program has set a limit.
TEST_F(PackingRoomTest, OfAWorkspaceIsNotExchanged) {
  blas.reset();
  QueuedProducts products(queue.raw(), GpuFolders{});
  const Squares squares(*this, n);
  const QueuedProduct product =
      product_of(squares, packing_kernel(Precision::s, products.limits(), true, true));
  const std::size_t bytes = products.workspace_bytes(product.problem, product.kernel);
  const cl::Buffer workspace = context.allocate(bytes, cl::Access::read_write);
  EXPECT_TRUE(products.set_workspace(workspace.raw(), 0, bytes).reason.empty());
  layer.fail("clEnqueueNDRangeKernel:1=-4");
  EXPECT_THROW(products.enqueue(product, {}, nullptr), DeviceError);
  layer.reset();
  expect_all(squares, 1);
  products.set_workspace(nullptr, 0, 0);
}

}  // namespace
}  // namespace duoblas::test
