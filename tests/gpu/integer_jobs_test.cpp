// Products by integers in several blocks of C: lines that stay are kept, blocks that are certified
// are finished, and the others are not touched.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "support/first_device.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t depth = 1024;
constexpr std::int64_t along = 1084, across = 5;
// Half of it has room for the residues of 560 of these lines.
constexpr std::size_t memory = std::size_t{28} << 20;
constexpr std::int64_t late = along - 30;  // in a later block than the first

std::size_t size(std::int64_t extent) {
  return static_cast<std::size_t>(extent);
}

// C is `along` x `across`, or the other way round; lines of the longer side are those of `walking`.
class IntegerJobs : public testing::TestWithParam<bool> {
 protected:
  const bool down = GetParam();
  std::mt19937_64 engine{5};
  std::vector<double> walking = drawn(along), staying = drawn(across), c = drawn(along, across);

  std::vector<double> drawn(std::int64_t lines, std::int64_t of = depth) {
    std::vector<double> numbers(size(lines * of));
    std::normal_distribution<double> normal;
    for (double& number : numbers) number = normal(engine);
    return numbers;
  }
  GemmProblem problem(double beta) {
    GemmProblem p;
    p.precision = Precision::d;
    p.op_b = Op::transpose;
    p.m = down ? along : across;
    p.n = p.ldc = down ? across : along;
    p.k = p.lda = p.ldb = depth;
    p.a = (down ? walking : staying).data();
    p.b = (down ? staying : walking).data();
    p.beta = beta;
    p.c = c.data();
    return p;
  }
  static GpuSide& side_of() {
    static auto* const once = new GpuSide(test::first_device(), {}, false, memory);
    return *once;
  }
  GpuJob start(const GemmProblem& p, SharingMode mode = SharingMode::staged) {
    GpuSide& side = side_of();
    return side.submit(p, integers_kernel(side.limits()), {mode, mode});
  }
  std::int64_t place(std::int64_t walked, std::int64_t stayed) const {
    return down ? walked * across + stayed : stayed * along + walked;
  }
  /// Off by how many of gemm's bounds, at most, in these lines of the walking side.
  double worst(const std::vector<double>& before, double beta, std::int64_t first,
               std::int64_t end) {
    double most = 0;
    for (std::int64_t i = first; i < end; ++i)
      for (std::int64_t j = 0; j < across; ++j) {
        const long double old = static_cast<long double>(beta) * before[size(place(i, j))];
        long double sum = old, magnitudes = std::fabs(old);
        for (std::int64_t h = 0; h < depth; ++h) {
          const long double term =
              static_cast<long double>(walking[size(i * depth + h)]) * staying[size(j * depth + h)];
          sum += term;
          magnitudes += std::fabs(term);
        }
        const long double error = std::fabs(c[size(place(i, j))] - sum),
                          bound = 0x1p-53L * (depth + 8) * magnitudes;
        most = std::max(most, static_cast<double>(error / bound));
      }
    return most;
  }
};

TEST_P(IntegerJobs, AreRightAndTheSameBitsHoweverOperandsArrive) {
  const std::vector<double> before = c;
  std::vector<double> first;
  for (const SharingMode mode :
       {SharingMode::staged, SharingMode::host_pointer, SharingMode::pinned}) {
    c = before;
    start(problem(-0.5), mode).wait();
    if (first.empty()) first = c;
    EXPECT_EQ(c, first);
  }
  EXPECT_LE(worst(before, -0.5, 0, along), 1);
}

// Where magnitudes of 7 bits say nothing of their products, lines of 62 bits are certified as
// exact. The lines that stay become residues anew then.
TEST_P(IntegerJobs, TakeMoreModuliFromALaterBlockOn) {
  const auto spread = [](double& number, bool is_small) {
    number = std::ldexp(std::round(std::ldexp(number, 44)), is_small ? -60 : -44);
  };
  for (std::int64_t h = 0; h < depth; ++h) {
    spread(staying[size(h)], h % 2 == 0);
    for (std::int64_t i = late; i < late + 6; ++i) spread(walking[size(i * depth + h)], h % 2 == 1);
  }
  const std::vector<double> before = c;
  start(problem(0)).wait();
  EXPECT_LE(worst(before, 0, 0, along), 1);
}

TEST_P(IntegerJobs, FinishTheBlocksBeforeOneThatIsNotCertified) {
  const std::array<double, 2> betas = {0, 2};
  walking[size((late + 9) * depth + 9)] = HUGE_VAL;
  walking[size(late * depth + 9)] = std::nan("");
  for (const double beta : betas)
    for (const SharingMode mode :
         {SharingMode::staged, SharingMode::host_pointer, SharingMode::pinned}) {
      const std::vector<double> before = c;
      GpuJob job = start(problem(beta), mode);
      EXPECT_THROW(job.wait(), UnsuitedNumbers);
      std::vector<bool> is_left(c.size());
      for (const GemmProblem& rest : job.unfinished()) {
        const auto at = static_cast<double*>(rest.c) - c.data();
        for (std::int64_t i = 0; i < rest.m; ++i)
          for (std::int64_t j = 0; j < rest.n; ++j) is_left[size(at + i * rest.ldc + j)] = true;
      }
      std::int64_t done = 0;
      while (done < along && !is_left[size(place(done, 0))]) ++done;
      // A device with memory of its own has blocks that keep all its units at work.
      EXPECT_GE(done, side_of().limits().shares_memory ? 256 : 0);
      EXPECT_LE(done, late);
      for (std::int64_t i = 0; i < along; ++i)
        for (std::int64_t j = 0; j < across; ++j) {
          const std::size_t at = size(place(i, j));
          ASSERT_EQ(is_left[at], i >= done) << i;
          ASSERT_TRUE(i < done || c[at] == before[at]) << i;
        }
      EXPECT_LE(worst(before, beta, 0, done), 1);
    }
}

INSTANTIATE_TEST_SUITE_P(Walks, IntegerJobs, testing::Bool(),
                         [](const auto& of) { return of.param ? "Down" : "Across"; });

}  // namespace
}  // namespace duoblas
