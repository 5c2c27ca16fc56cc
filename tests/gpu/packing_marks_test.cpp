// Packing for products of TF32 parts looks at what it packs, and marks the flag where a number does
// not suit. The instructions' stand-ins only have to compile.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/emulating_kernels.hpp"
#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/launch.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/first_device.hpp"
#include "support/wide_kernels.hpp"

namespace duoblas {
namespace {

OpenedDevice& device() {
  static auto* const once = new OpenedDevice(test::first_device(), {"", test::emulating_kernels()});
  return *once;
}

cl::RectCopy whole(std::size_t bytes) {
  return {1, bytes, bytes, bytes, 0};
}

cl::Buffer filled(const void* from, std::size_t bytes) {
  cl::Buffer buffer = device().context.allocate(bytes, cl::Access::read_write);
  device().queue.write(buffer, from, whole(bytes), true);
  return buffer;
}

// Rows of numbers, with NaNs in the gaps between them.
struct Matrix {
  std::int64_t rows, cols, ld;
  std::vector<float> numbers;

  Matrix(std::int64_t rows_, std::int64_t cols_, std::int64_t pad)
      : rows(rows_), cols(cols_), ld(cols_ + pad) {
    numbers.assign(static_cast<std::size_t>(rows * ld), std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t col = 0; col < cols; ++col) at(row, col) = static_cast<float>(row - col);
  }
  float& at(std::int64_t row, std::int64_t col) {
    return numbers[static_cast<std::size_t>(row * ld + col)];
  }
};

constexpr std::int64_t kExtent = 67, kDepth = 37;
constexpr int kTicket = 7;

// Whether packing it as A, or as B, marks the flag.
bool is_marked(const KernelVariant& variant, bool as_a, const Matrix& x) {
  BuiltProgram& built = device().kernels.get(variant);
  cl::Kernel& packing = built.kernel(as_a ? "pack_a" : "pack_b");
  const Launch ranges = launch(variant, kExtent, kExtent, kDepth);
  const int zero = 0;
  const cl::Buffer flag = filled(&zero, sizeof zero);
  const cl::Buffer packed = device().context.allocate(
      as_a ? ranges.packed_a_bytes : ranges.packed_b_bytes, cl::Access::read_write);
  BoundOperand operand;
  operand.buffer =
      std::make_shared<cl::Buffer>(filled(x.numbers.data(), x.numbers.size() * sizeof(float)));
  operand.pitch_bytes = static_cast<std::size_t>(x.ld) * sizeof(float);
  KernelArguments(packing, variant.precision)
      .size(kExtent)
      .size(kDepth)
      .operand(operand)
      .buffer(packed)
      .buffer(flag)
      .size(kTicket);
  device().queue.wait(device().queue.submit(packing, as_a ? ranges.pack_a : ranges.pack_b));
  int value = 0;
  device().queue.read(flag, &value, whole(sizeof value));
  EXPECT_TRUE(value == 0 || value == kTicket);
  return value == kTicket;
}

void expect_marks(const KernelParams& kernel, Precision precision, Op op) {
  SCOPED_TRACE(describe(kernel) + (op == Op::none ? ", n" : ", t or c"));
  const KernelVariant variant = normalised({kernel, precision, op, op, Guard::if_suited});
  ASSERT_TRUE(packing_marks(variant));
  const std::int64_t parts = is_complex(precision) ? 2 : 1;
  for (const bool as_a : {true, false}) {
    const bool along_k = (op == Op::none) == as_a;
    Matrix x(along_k ? kExtent : kDepth, parts * (along_k ? kDepth : kExtent), 2);
    EXPECT_FALSE(is_marked(variant, as_a, x)) << "what lies between rows does not count";
    for (const std::int64_t row : {std::int64_t{0}, x.rows / 2, x.rows - 1})
      for (const std::int64_t col : {std::int64_t{0}, x.cols / 2, x.cols - 2, x.cols - 1}) {
        const float good = x.at(row, col);
        x.at(row, col) = col % 2 == 0 ? 1e-30f : std::numeric_limits<float>::infinity();
        EXPECT_TRUE(is_marked(variant, as_a, x)) << "at " << row << ", " << col;
        x.at(row, col) = good;
      }
  }
}

// With few work-items and steps: PoCL compiles the product as well.
KernelParams wide_kernel(Precision precision) {
  KernelParams kernel = wide_tf32x3(precision);
  kernel.group_rows = 32;
  kernel.k_unroll = 16;
  return kernel;
}

TEST(PackingMarks, WhatDoesNotSuitAWideKernel) {
  expect_marks(wide_kernel(Precision::s), Precision::s, Op::none);
  expect_marks(wide_kernel(Precision::s), Precision::s, Op::transpose);
}

TEST(PackingMarks, BothPartsOfComplexNumbers) {
  expect_marks(wide_kernel(Precision::c), Precision::c, Op::none);
  expect_marks(wide_kernel(Precision::c), Precision::c, Op::conj_transpose);
}

TEST(PackingMarks, WhatDoesNotSuitInstructionsOf32WorkItems) {
  KernelParams kernel = default_tf32x3(Precision::c);
  kernel.resident_groups = 0;  // an option of NVIDIA's compiler
  expect_marks(kernel, Precision::c, Op::conj_transpose);
  kernel.as_real = false;
  expect_marks(kernel, Precision::s, Op::none);
}

// A kernel that reads an operand in place leaves both to the guard.
TEST(PackingMarks, NothingWhereAnOperandIsReadInPlace) {
  KernelVariant variant{default_tf32x3(), Precision::s, Op::none, Op::none, Guard::if_suited};
  EXPECT_FALSE(packing_marks(variant));
  variant.params.pack_a = true;
  EXPECT_FALSE(packing_marks(variant));
  variant.params.pack_b = true;
  EXPECT_TRUE(packing_marks(variant));
  variant.guard = Guard::none;
  EXPECT_FALSE(packing_marks(variant));
}

TEST(PackingMarks, LeaveTheGuardToKernelsThatReadAnOperandInPlace) {
  KernelParams kernel = default_tf32x3();
  EXPECT_TRUE(needs_guard(kernel));
  kernel.pack_a = true;
  EXPECT_TRUE(needs_guard(kernel));
  kernel.pack_b = true;
  EXPECT_FALSE(needs_guard(kernel));
  EXPECT_FALSE(needs_guard(wide_tf32x3()));
  EXPECT_FALSE(needs_guard(default_tf32x3(Precision::c)));
  kernel.matrix = MatrixUnit::none;
  kernel.pack_a = false;
  EXPECT_FALSE(needs_guard(kernel));
}

}  // namespace
}  // namespace duoblas
