// Whether products of a program's queue have room for packed operands.
#include <gtest/gtest.h>

#include <vector>

#include <duoblas/error.hpp>

#include "cl_layer/device_blas_case.hpp"
#include "gpu/queued_products.hpp"
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
