// Lines of a product by integers that have memory of their own, in a block of C of several pieces:
// they are measured once, whichever side they are of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/integers/integer_product.hpp"
#include "integer_phases.hpp"

namespace duoblas {
namespace {

class LastingLines : public test::IntegerPhases {
 protected:
  static constexpr std::int64_t depth = 70;

  /// `side`: the one that lasts. Returns how often lines are measured.
  std::int64_t measured(std::int64_t m, std::int64_t n, duoblas::LastingLines LastingSides::*side,
                        bool are_known, const std::shared_ptr<const cl::Buffer>& memory) {
    GemmProblem p{.precision = Precision::d, .m = m, .n = n, .k = depth, .lda = depth, .ldb = n};
    const auto numbers = [&](std::int64_t count) {
      std::vector<double> all(static_cast<std::size_t>(count));
      for (double& one : all) one = static_cast<double>(drawn(-9, 9));
      return all;
    };
    if (a_.empty()) a_ = numbers(m * depth), b_ = numbers(depth * n);
    const auto operand = [&](const std::vector<double>& of, std::int64_t ld) {
      return BoundOperand{std::make_shared<cl::Buffer>(on_device(of)), 0,
                          static_cast<std::size_t>(ld) * sizeof(double)};
    };
    std::vector<double> c(static_cast<std::size_t>(m * n), 7);
    const BoundOperand on_c = operand(c, n);
    IntegerProduct product(device, device.queue, device.scratch, p, blocks());
    LastingSides lasting;
    lasting.*side = {memory, are_known};
    device.queue.wait(
        product.enqueue(*built, p, {}, {operand(a_, depth), operand(b_, n)}, on_c, lasting));
    require_certified(device.queue, product);
    read(*on_c.buffer, c);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        double want = 0;
        for (std::int64_t h = 0; h < depth; ++h)
          want +=
              a_[static_cast<std::size_t>(i * depth + h)] * b_[static_cast<std::size_t>(h * n + j)];
        EXPECT_EQ(c[static_cast<std::size_t>(i * n + j)], want) << i << ' ' << j;
      }
    return std::ranges::count(product.phases(), "measure");
  }
  IntegerBlocks blocks() const {
    return {tile.rows, tile.columns, depth, integer_moduli, integer_moduli, tile};
  }
  std::shared_ptr<const cl::Buffer> memory_of(std::size_t bytes) const {
    return std::make_shared<cl::Buffer>(device.context.allocate(bytes, cl::Access::read_write));
  }

 private:
  std::vector<double> a_, b_;
};

constexpr int pieces = 3;

TEST_F(LastingLines, OfBAreMeasuredOnceForAllRows) {
  const auto memory = memory_of(integer_bytes(blocks(), depth).b);
  const std::int64_t m = pieces * tile.rows - 5, n = tile.columns - 3;
  EXPECT_EQ(measured(m, n, &LastingSides::b, false, memory), pieces + 1);
  EXPECT_EQ(measured(m, n, &LastingSides::b, true, memory), pieces);
}

TEST_F(LastingLines, OfAAreMeasuredOnceForAllColumns) {
  const auto memory = memory_of(integer_bytes(blocks(), depth).a);
  const std::int64_t m = tile.rows - 5, n = pieces * tile.columns - 3;
  EXPECT_EQ(measured(m, n, &LastingSides::a, false, memory), pieces + 1);
  EXPECT_EQ(measured(m, n, &LastingSides::a, true, memory), pieces);
}

}  // namespace
}  // namespace duoblas
