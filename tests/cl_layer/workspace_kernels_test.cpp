// Kernels that take a program's memory for packed operands, partial sums and images.
#include <gtest/gtest.h>

#include <vector>

#include "cl_layer/device_blas_case.hpp"
#include "gpu/queued/queued_products.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/packing_kernel.hpp"

namespace duoblas::test {
namespace {

struct WorkspaceKernelsTest : DeviceBlasTest {};

// Kernels that split k, that pack both operands, and that read them as images.
TEST_F(WorkspaceKernelsTest, FindRoomForPartialSumsAndImages) {
  blas.reset();
  QueuedProducts products(queue.raw(), GpuFolders{});
  std::vector<KernelParams> kernels = {packing_kernel(Precision::s, products.limits(), true, true)};
  kernels.front().k_split = 3;
  for (KernelParams tiled : tiled_points(Precision::s)) {
    tiled.pack_a = tiled.pack_b = tiled.image_a = tiled.image_b = true;
    tiled.async_copy = false;
    if (violated_rule(tiled, Precision::s, products.limits()) == nullptr) {
      kernels.push_back(tiled);
      break;
    }
  }
  constexpr std::int64_t n = 75;
  const Squares squares(*this, n);
  GemmProblem problem;
  problem.precision = Precision::s;
  problem.m = problem.n = problem.k = n;
  problem.alpha = 1;
  for (const KernelParams& kernel : kernels) {
    const QueuedProduct product{
        problem, kernel, {squares.a.raw(), 0, n}, {squares.b.raw(), 0, n}, {squares.c.raw(), 0, n}};
    const std::size_t bytes = products.workspace_bytes(problem, kernel);
    EXPECT_GE(bytes, static_cast<std::size_t>(2 * n * n * 4));
    const cl::Buffer workspace = context.allocate(bytes, cl::Access::read_write);
    EXPECT_TRUE(products.has_room(problem, kernel)) << "in memory of the library's own";
    EXPECT_TRUE(products.set_workspace(workspace.raw(), 0, bytes - 1).reason.empty());
    EXPECT_FALSE(products.has_room(problem, kernel));
    EXPECT_TRUE(products.set_workspace(workspace.raw(), 0, bytes).reason.empty());
    EXPECT_TRUE(products.has_room(problem, kernel));
    products.enqueue(product, {}, nullptr);
    EXPECT_TRUE(squares.is_right(*this));
    layer.reset();
    products.enqueue(product, {}, nullptr);
    EXPECT_EQ(layer.calls_of("clCreateBuffer"), 0);
    EXPECT_TRUE(squares.is_right(*this));
    products.set_workspace(nullptr, 0, 0);
  }
}

}  // namespace
}  // namespace duoblas::test
