// Kernel `gemm` built with a guard: runs or leaves C alone, as flag and ticket say.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/launch.hpp"
#include "support/first_device.hpp"
#include "support/reference_gemm.hpp"
#include "support/test_matrix.hpp"

namespace duoblas {
namespace {

using test::Call;
using test::TestMatrix;

OpenedDevice& device() {
  static auto* const once = new OpenedDevice(test::first_device(), {});
  return *once;
}

cl::RectCopy whole(std::size_t bytes) {
  return {1, bytes, bytes, bytes, 0};
}

// Runs everywhere: no instruction that OpenCL does not know.
KernelParams portable_kernel() {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.tile_rows = p.tile_cols = 2;
  p.vector_width = 2;
  p.group_rows = p.group_cols = 4;
  p.k_unroll = 4;
  p.local_a = p.local_b = true;
  return p;
}

constexpr std::int64_t m = 19, n = 21, k = 13;

struct Product {
  TestMatrix<float> a{m, k}, b{k, n}, c{m, n};
  Call<float> call;
  std::vector<double> before;

  Product() {
    a.randomise(1);
    b.randomise(2);
    c.randomise(3);
    call = {Layout::row_major, Op::none, Op::none, m,      n,    k, 0.75f,
            a.data(),          a.ld(),   b.data(), b.ld(), -0.5f};
    before = dense();
  }
  std::vector<double> dense() const {
    return test::dense_op(c.data(), c.ld(), Layout::row_major, Op::none, m, n);
  }

  BoundOperand upload(const TestMatrix<float>& x) const {
    const std::size_t bytes = static_cast<std::size_t>(x.lines() * x.ld()) * sizeof(float);
    const auto buffer =
        std::make_shared<cl::Buffer>(device().context.allocate(bytes, cl::Access::read_write));
    device().queue.write(*buffer, x.data(), whole(bytes), true);
    BoundOperand operand;
    operand.buffer = buffer;
    operand.pitch_bytes = static_cast<std::size_t>(x.ld()) * sizeof(float);
    return operand;
  }

  void run(Guard guard, int flag, int ticket) {
    const KernelVariant variant =
        normalised({portable_kernel(), Precision::s, Op::none, Op::none, guard, Rows::anyhow});
    const cl::Buffer flag_buffer = device().context.allocate(sizeof flag, cl::Access::read_write);
    device().queue.write(flag_buffer, &flag, whole(sizeof flag), true);
    // Setting an argument does not keep its buffer: these do, until the product has ended.
    const BoundOperand x = upload(a), y = upload(b), result = upload(c);
    cl::Kernel& kernel = device().kernels.get(variant).kernel("gemm");
    KernelArguments(kernel, Precision::s)
        .size(m)
        .size(n)
        .size(k)
        .scalar(call.alpha)
        .operand(x)
        .operand(y)
        .scalar(call.beta)
        .operand(result)
        .buffer(flag_buffer)
        .size(ticket);
    device().queue.wait(device().queue.submit(kernel, launch(variant, m, n, k).product));
    const std::size_t bytes = static_cast<std::size_t>(m * c.ld()) * sizeof(float);
    device().queue.read(*result.buffer, c.data(), whole(bytes));
    int flag_after = 0;
    device().queue.read(flag_buffer, &flag_after, whole(sizeof flag_after));
    EXPECT_EQ(flag_after, flag) << "a product only reads the flag";
  }
};

struct Case {
  Guard guard;
  int flag, ticket;
  bool runs;
};
// A flag that never was set (0), an older call's, and this call's.
const Case cases[] = {
    {Guard::if_suited, 0, 5, true}, {Guard::if_suited, 4, 5, true}, {Guard::if_suited, 5, 5, false},
    {Guard::if_not, 0, 5, false},   {Guard::if_not, 4, 5, false},   {Guard::if_not, 5, 5, true},
};

TEST(GuardedProduct, RunsWhereTheGuardLetsItAndLeavesCAloneElsewhere) {
  for (const Case& c : cases) {
    SCOPED_TRACE("guard " + std::to_string(static_cast<int>(c.guard)) + ", flag " +
                 std::to_string(c.flag) + ", ticket " + std::to_string(c.ticket));
    Product product;
    product.run(c.guard, c.flag, c.ticket);
    const std::vector<double> after = product.dense();
    if (c.runs) {
      EXPECT_LT(test::scaled_error(product.call, product.before, after), 1.0);
    } else {
      EXPECT_EQ(after, product.before);
    }
  }
}

TEST(GuardedProduct, IsDoneByExactlyOneOfTheTwo) {
  for (const int flag : {0, 4, 5}) {
    Product product;
    product.run(Guard::if_suited, flag, 5);
    product.run(Guard::if_not, flag, 5);
    EXPECT_LT(test::scaled_error(product.call, product.before, product.dense()), 1.0) << flag;
  }
}

}  // namespace
}  // namespace duoblas
