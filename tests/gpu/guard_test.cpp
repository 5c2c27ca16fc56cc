// Kernel `guard`: which numbers suit 3xTF32, and that it looks at every element and at no other.
#include <gtest/gtest.h>
#include <algorithm>

#include <limits>
#include <memory>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_arguments.hpp"
#include "support/first_device.hpp"

namespace duoblas {
namespace {

OpenedDevice& device() {
  static auto* const once = new OpenedDevice(test::first_device(), {});
  return *once;
}

cl::RectCopy whole(std::size_t bytes) {
  return {1, bytes, bytes, bytes, 0};
}

// rows x cols numbers from `offset` on, the rows `ld` apart, in memory that has `outside`
// elsewhere.
struct Checked {
  std::int64_t rows, cols, ld, offset;
  std::vector<float> memory;

  Checked(std::int64_t rows_, std::int64_t cols_, std::int64_t pad, std::int64_t offset_,
          float outside = std::numeric_limits<float>::quiet_NaN())
      : rows(rows_), cols(cols_), ld(cols_ + pad), offset(offset_) {
    memory.assign(static_cast<std::size_t>(offset + rows * ld + 8), outside);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t col = 0; col < cols; ++col)
        at(row, col) = static_cast<float>(row - col) * 0.25f;
  }
  float& at(std::int64_t row, std::int64_t col) {
    return memory[static_cast<std::size_t>(offset + row * ld + col)];
  }
};

// The flag of one test: set to a value, handed to the kernel, read.
class Flag {
 public:
  explicit Flag(int value)
      : buffer_(device().context.allocate(sizeof(int), cl::Access::read_write)) {
    device().queue.write(buffer_, &value, whole(sizeof value), true);
  }

  int after(const Checked& a, const Checked& b, int ticket, std::size_t down = 4) {
    cl::Kernel& guard = device().kernels.guard();
    // Setting an argument does not keep its buffer: these do.
    const BoundOperand x = upload(a), y = upload(b);
    KernelArguments(guard, Precision::s)
        .size(a.rows)
        .size(a.cols)
        .operand(x)
        .size(b.rows)
        .size(b.cols)
        .operand(y)
        .buffer(buffer_)
        .size(ticket);
    constexpr std::size_t group = 16, columns_each = 4;
    const auto columns = static_cast<std::size_t>(std::max(a.cols, b.cols));
    const std::size_t items = (columns + columns_each - 1) / columns_each;
    const cl::Range range{{(items + group - 1) / group * group, 2 * down}, {group, 1}};
    device().queue.wait(device().queue.submit(guard, range));
    int value = 0;
    device().queue.read(buffer_, &value, whole(sizeof value));
    return value;
  }

 private:
  static BoundOperand upload(const Checked& x) {
    BoundOperand operand;
    const std::size_t bytes = x.memory.size() * sizeof(float);
    const auto buffer =
        std::make_shared<cl::Buffer>(device().context.allocate(bytes, cl::Access::read_only));
    device().queue.write(*buffer, x.memory.data(), whole(bytes), true);
    operand.buffer = buffer;
    operand.offset_bytes = static_cast<std::size_t>(x.offset) * sizeof(float);
    operand.pitch_bytes = static_cast<std::size_t>(x.ld) * sizeof(float);
    return operand;
  }

  cl::Buffer buffer_;
};

// As A beside a B that suits, and the other way round.
bool suits(const Checked& x) {
  constexpr int ticket = 7;
  const Checked other(3, 6, 1, 2);
  const bool as_a = Flag(0).after(x, other, ticket) != ticket;
  const bool as_b = Flag(0).after(other, x, ticket) != ticket;
  EXPECT_EQ(as_a, as_b);
  return as_a;
}

bool suits(float value) {
  Checked x(1, 1, 0, 0);
  x.at(0, 0) = value;
  return suits(x);
}

using Limits = std::numeric_limits<float>;
const float unsuited[] = {Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          -Limits::quiet_NaN(),
                          Limits::denorm_min(),
                          -Limits::denorm_min(),
                          Limits::min() / 2,
                          Limits::min(),
                          Limits::max(),
                          -Limits::max(),
                          0x1p-49f,
                          0x1.fffffep-49f,
                          0x1p57f,
                          -0x1p57f,
                          1e30f,
                          1e-30f};

TEST(GuardKernel, TakesOrdinaryNumbersAndZeros) {
  for (const float value : {0.0f, -0.0f, 1.0f, -1.0f, 1e-6f, -12345.678f, 1e10f, 0.1f})
    EXPECT_TRUE(suits(value)) << value;
}

TEST(GuardKernel, TakesTheExponentsAtItsBounds) {
  for (const float value :
       {0x1p-48f, -0x1p-48f, 0x1.8p-48f, 0x1p56f, 0x1.fffffep56f, -0x1.fffffep56f, 0x1.fdp56f})
    EXPECT_TRUE(suits(value)) << value;
}

TEST(GuardKernel, RefusesWhatIsNotFiniteTooSmallOrTooLarge) {
  for (const float value : unsuited) EXPECT_FALSE(suits(value)) << value;
}

struct Shape {
  std::int64_t rows, cols, pad, offset;
};
// Odd sizes; rows that start at 16 bytes, and that do not because of the pitch or of the offset.
const Shape shapes[] = {{1, 1, 0, 0},     {1, 7, 0, 0},     {5, 3, 0, 0},     {5, 3, 5, 0},
                        {3, 8, 0, 0},     {3, 8, 4, 4},     {3, 8, 4, 1},     {4, 9, 3, 0},
                        {4, 9, 2, 3},     {7, 1, 0, 2},     {130, 517, 0, 0}, {130, 517, 3, 0},
                        {130, 517, 7, 8}, {130, 517, 6, 5}, {64, 256, 0, 0}};

TEST(GuardKernel, SeesOneBadElementWhereverItIs) {
  for (const Shape& s : shapes) {
    Checked x(s.rows, s.cols, s.pad, s.offset, 0.0f);
    EXPECT_TRUE(suits(x));
    for (const std::int64_t row : {std::int64_t{0}, s.rows / 2, s.rows - 1})
      for (const std::int64_t col : {std::int64_t{0}, s.cols / 2, s.cols - 1}) {
        const float good = x.at(row, col);
        x.at(row, col) = Limits::infinity();
        EXPECT_FALSE(suits(x)) << s.rows << " x " << s.cols << " + " << s.pad << " from "
                               << s.offset << " at " << row << ", " << col;
        x.at(row, col) = good;
      }
  }
}

TEST(GuardKernel, SeesEveryElementOfASmallMatrix) {
  for (const Shape& s : {Shape{5, 11, 0, 0}, {5, 11, 1, 0}, {5, 12, 4, 0}, {5, 12, 0, 2}}) {
    Checked x(s.rows, s.cols, s.pad, s.offset, 0.0f);
    for (std::int64_t row = 0; row < s.rows; ++row)
      for (std::int64_t col = 0; col < s.cols; ++col) {
        const float good = x.at(row, col);
        x.at(row, col) = 1e-30f;
        EXPECT_FALSE(suits(x)) << row << ", " << col;
        x.at(row, col) = good;
      }
  }
}

TEST(GuardKernel, DoesNotLookOutsideTheMatrix) {
  for (const Shape& s : shapes) {
    const Checked in_nans(s.rows, s.cols, s.pad, s.offset);
    EXPECT_TRUE(suits(in_nans)) << s.rows << " x " << s.cols << " + " << s.pad << " from "
                                << s.offset;
  }
}

TEST(GuardKernel, TakesAnyNumberOfWorkItemsDown) {
  Checked x(13, 5, 0, 0);
  for (const std::size_t down : {1u, 3u, 13u, 256u}) {
    EXPECT_EQ(Flag(0).after(x, x, 1, down), 0);
    x.at(12, 4) = Limits::quiet_NaN();
    EXPECT_EQ(Flag(0).after(x, x, 1, down), 1);
    x.at(12, 4) = 0;
  }
}

TEST(GuardKernel, WritesItsOwnTicketAndLeavesAnOldOneWhereAllIsWell) {
  const Checked good(6, 6, 0, 0);
  Checked bad = good;
  bad.at(3, 3) = Limits::infinity();
  Flag flag(0);
  EXPECT_EQ(flag.after(bad, bad, 41), 41);
  // The next call's operands suit: what is left in the flag is not its ticket.
  EXPECT_EQ(flag.after(good, good, 42), 41);
  EXPECT_EQ(flag.after(bad, bad, 43), 43);
  EXPECT_EQ(flag.after(good, good, 43), 43) << "B must not take back what A said";
}

}  // namespace
}  // namespace duoblas
