// gemv where OpenCL calls fail, and in a program's own buffers.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <duoblas/context.hpp>

#include "cl_layer/device_blas_case.hpp"
#include "support/refused_argument.hpp"
#include "support/vectors_of_context.hpp"

namespace duoblas::test {
namespace {

struct VectorRoutines : testing::Test {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }

  static Settings forced() {
    Settings settings;
    settings.strategy = Strategy::hybrid;
    settings.split = Share{8, 16};
    settings.standin = false;
    settings.device = "0";
    return settings;
  }

  // Every call of the layer fails in turn: the result is right all the same.
  template <typename Run>
  void expect_right_where_any_call_fails(Run&& run) {
    int recovered = 0;
    for (int number = 1;; ++number) {
      ASSERT_LT(number, 400) << "no end of calls";
      Context context(forced());
      run(context);  // the device is open, the program tried
      SCOPED_TRACE(number);
      layer.fail(("*:" + std::to_string(number)).c_str());
      run(context);
      const bool fired = layer.fired() != 0;
      recovered += Context::last_call().recovered;
      layer.reset();
      run(context);
      if (!fired) break;
    }
    EXPECT_GT(recovered, 3);
  }
};

TEST_F(VectorRoutines, GemvIsRightWhateverCallFails) {
  for (const Op op : {Op::none, Op::transpose})
    for (const double beta : {0.0, -0.7})
      expect_right_where_any_call_fails([&](Context& context) {
        expect_right_gemv<double>(
            {.op = op, .m = 60, .n = 45, .pad = 3, .incx = 2, .incy = -2, .beta = beta},
            [&](const CallerGemv& c) { call_gemv<double>(context, c); });
      });
}

using DeviceVectors = DeviceBlasTest;

template <typename T>
void expect_right_on_device(DeviceBlasTest& test) {
  for (const GemvCase& c : covering_gemv_cases())
    expect_right_gemv<T>(c, [&](const CallerGemv& call) {
      constexpr std::size_t before = 3;
      const bool rows = c.layout == Layout::row_major;
      const auto of_a =
          static_cast<std::size_t>(((rows ? c.m : c.n) - 1) * call.lda + (rows ? c.n : c.m));
      const auto span = [](std::int64_t size, std::int64_t increment) {
        return static_cast<std::size_t>((size - 1) * std::abs(increment) + 1);
      };
      const std::size_t of_x = span(c.terms(), c.incx), of_y = span(c.outputs(), c.incy);
      const cl::Buffer a = test.upload(static_cast<const T*>(call.a), of_a, before),
                       x = test.upload(static_cast<const T*>(call.x), of_x, before),
                       y = test.upload(static_cast<const T*>(call.y), of_y, before);
      test.blas->gemv<T>(c.layout, c.op, c.m, c.n, static_cast<Real<T>>(c.alpha),
                         {test.raw(a), before, call.lda}, {test.raw(x), before, c.incx},
                         static_cast<Real<T>>(c.beta), {test.raw(y), before, c.incy});
      test.download(y, static_cast<T*>(call.y), of_y, before);
    });
}

TEST_F(DeviceVectors, GemvIsRightInAProgramsBuffers) {
  expect_right_on_device<float>(*this);
  expect_right_on_device<std::complex<double>>(*this);
}

TEST_F(DeviceVectors, GemvThatOnlyScalesReadsNeitherANorX) {
  const std::vector<double> numbers = {1, 2, 3, 4, 5, 6};
  const cl::Buffer y = upload(numbers.data(), 6, 0);
  blas->gemv<double>(Layout::row_major, Op::none, 3, 7, 0, {nullptr, 0, 7}, {nullptr, 0, 1}, -2,
                     {raw(y), 0, 2});
  std::vector<double> result(6);
  download(y, result.data(), 6, 0);
  EXPECT_EQ(result, (std::vector<double>{-2, 2, -6, 4, -10, 6}));
}

TEST_F(DeviceVectors, AreRefusedWhereTheyLeaveTheirBuffers) {
  const std::vector<float> numbers(100, 1);
  const cl::Buffer buffer = upload(numbers.data(), 100, 0);
  const DeviceMatrix a{raw(buffer), 0, 10};
  const auto position = [](auto&& call) { return refused_position(call); };
  const auto gemv = [&](const DeviceMatrix& matrix, const DeviceVector& x, const DeviceVector& y) {
    return position(
        [&] { blas->gemv<float>(Layout::row_major, Op::none, 10, 10, 1, matrix, x, 0, y); });
  };
  const DeviceVector fits{raw(buffer), 0, 1};
  EXPECT_EQ(gemv(a, fits, {raw(buffer), 90, 1}), 0);
  EXPECT_EQ(gemv({raw(buffer), 1, 10}, fits, fits), 6);
  EXPECT_EQ(gemv(a, {raw(buffer), 91, 1}, fits), 8);
  EXPECT_EQ(gemv(a, fits, {raw(buffer), 0, -12}), 11);
  EXPECT_EQ(gemv(a, fits, {raw(buffer), -1, 1}), 11);
}

}  // namespace
}  // namespace duoblas::test
