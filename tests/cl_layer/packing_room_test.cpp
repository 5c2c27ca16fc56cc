// Whether products of a program's queue have room for packed operands.
#include "cl_layer/device_blas_case.hpp"
#include "gpu/queued_products.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas::test {
namespace {

struct PackingRoomTest : DeviceBlasTest {};

// The program's matrices are in that memory, too.
TEST_F(PackingRoomTest, OfTheLibrarysOwnIsAQuarterOfTheDevicesMemory) {
  blas.reset();
  QueuedProducts products(queue.raw(), GpuFolders{});
  KernelParams kernel = default_kernel(Precision::s, products.limits());
  kernel.pack_a = kernel.pack_b = true;
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

}  // namespace
}  // namespace duoblas::test
