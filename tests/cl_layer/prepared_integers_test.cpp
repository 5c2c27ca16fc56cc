// Residues of prepared operands: they stay with the device's copy, and change no bit of a result.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/device.hpp"

namespace duoblas::test {
namespace {

struct PreparedIntegers : testing::Test {
  static constexpr std::int64_t rows = 64, columns = 512, depth = 128;
  const LayerControl& layer = LayerControl::get();
  GpuSide side{cl::list_devices().at(0), {}};
  KernelParams kernel = integers_kernel(side.limits());
  std::mt19937_64 engine{3};
  // Of complex type, pairs of numbers are the parts of one.
  Precision type = Precision::d;
  std::vector<double> a = drawn(rows), b = drawn(columns);

  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }

  std::vector<double> drawn(std::int64_t lines) {
    std::vector<double> numbers(static_cast<std::size_t>(lines * depth));
    std::normal_distribution<double> normal;
    for (double& number : numbers) number = normal(engine);
    return numbers;
  }
  // Numbers of 62 bits, in which products of magnitudes of 7 bits are 0.
  static void spread(std::vector<double>& numbers, int small) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = std::ldexp(std::round(std::ldexp(numbers[i], 44)),
                              static_cast<int>(i % 2) == small ? -60 : -44);
  }
  std::shared_ptr<const ResidentMatrix> prepared(std::vector<double>& numbers) {
    return side.make_resident({numbers.data(), numbers.size() / depth, depth * sizeof(double),
                               depth * sizeof(double), sizeof(double)});
  }
  // A B^T; complex C takes twice as many doubles.
  std::vector<double> product(const std::vector<double>& of_a, const ResidentOperands& resident) {
    const std::int64_t parts = is_complex(type) ? 2 : 1;
    std::vector<double> c(static_cast<std::size_t>(rows * columns * parts));
    GemmProblem p;
    p.precision = type;
    p.op_b = Op::transpose;
    p.m = rows;
    p.n = p.ldc = columns;
    p.k = p.lda = p.ldb = depth / parts;
    p.a = of_a.data();
    p.b = b.data();
    p.c = c.data();
    side.submit(p, kernel, {SharingMode::staged, SharingMode::staged, resident}).wait();
    return c;
  }
  long launches_of(const ResidentOperands& resident, const std::vector<double>& want) {
    layer.reset();
    EXPECT_EQ(product(a, resident), want);
    return layer.calls_of("clEnqueueNDRangeKernel");
  }
};

TEST_F(PreparedIntegers, KeepTheirResiduesAndTheBits) {
  for (const Precision of : {Precision::d, Precision::z}) {
    type = of;
    const std::vector<double> want = product(a, {});
    const long plain = launches_of({}, want);
    const auto of_a = prepared(a), of_b = prepared(b);
    EXPECT_EQ(launches_of({nullptr, of_b.get()}, want), plain);
    EXPECT_EQ(launches_of({nullptr, of_b.get()}, want), plain - 1) << "B is not measured";
    EXPECT_EQ(launches_of({of_a.get(), of_b.get()}, want), plain - 1);
    EXPECT_EQ(launches_of({of_a.get(), of_b.get()}, want), plain - 2);
    EXPECT_EQ(launches_of({}, want), plain);
  }
}

// They are made anew for another number of moduli, and for the first one again.
TEST_F(PreparedIntegers, AreRightBesideOthersThatTakeMoreModuli) {
  spread(b, 0);
  std::vector<double> wide = a;
  spread(wide, 1);
  const std::vector<double> want = product(a, {}), want_wide = product(wide, {});
  const auto of_b = prepared(b);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(product(a, {nullptr, of_b.get()}), want);
    EXPECT_EQ(product(wide, {nullptr, of_b.get()}), want_wide);
  }
}

TEST_F(PreparedIntegers, AreMeasuredAnewAfterAProductThatWasNotCertified) {
  const std::vector<double> want = product(a, {});
  const long plain = launches_of({}, want);
  const auto of_b = prepared(b);
  std::vector<double> odd = a;
  odd[5] = HUGE_VAL;
  EXPECT_THROW(product(odd, {nullptr, of_b.get()}), UnsuitedNumbers);
  EXPECT_EQ(launches_of({nullptr, of_b.get()}, want), plain);
  EXPECT_EQ(launches_of({nullptr, of_b.get()}, want), plain - 1);
}

}  // namespace
}  // namespace duoblas::test
