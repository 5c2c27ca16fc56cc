// Routines that memory bounds where OpenCL calls fail, and in a program's own buffers.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "cl_layer/device_blas_case.hpp"
#include "gpu/queued/queued_products.hpp"
#include "support/refused_argument.hpp"
#include "support/vectors_of_context.hpp"

namespace duoblas::test {
namespace {

struct VectorRoutines : testing::Test {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.memory_model(nullptr);
    layer.reset();
  }

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
  void expect_right_where_any_call_fails(Run&& run, const Settings& settings = forced()) {
    int recovered = 0;
    for (int number = 1;; ++number) {
      ASSERT_LT(number, 400) << "no end of calls";
      Context context(settings);
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

// The result is written in place, where it was, or lands apart: old values outlive every failure.
TEST_F(VectorRoutines, GerIsRightWhateverCallFails) {
  for (const char* model : {"", "shadow"}) {
    SCOPED_TRACE(model);
    layer.memory_model(model);
    expect_right_where_any_call_fails([&](Context& context) {
      expect_right_ger<double>({.m = 60, .n = 48, .pad = 3, .incx = 2, .incy = -2, .alpha = -0.7},
                               [&](const CallerGer& c) { call_ger<double>(context, c); });
    });
  }
}

TEST_F(VectorRoutines, AxpyIsRightWhateverCallFails) {
  for (const std::int64_t incy : {1, -2})
    expect_right_where_any_call_fails([&](Context& context) {
      expect_right_axpy<double>({.n = 2048, .incx = incy, .incy = incy, .alpha = -0.7},
                                [&](const CallerAxpy& c) { call_axpy<double>(context, c); });
    });
}

// In pieces, of which those that were done stay done.
Settings in_pieces() {
  Settings settings = VectorRoutines::forced();
  settings.split = Share{15, 16};
  settings.check = CheckMode::off;
  return settings;
}

void large_axpy(Context& context) {
  expect_right_axpy<double>({.n = 1'000'000, .alpha = -0.7},
                            [&](const CallerAxpy& c) { call_axpy<double>(context, c); });
}

TEST_F(VectorRoutines, LargeUpdatesAreRightWhateverCallFails) {
  expect_right_where_any_call_fails(large_axpy, in_pieces());
}

TEST_F(VectorRoutines, LargeUpdatesAreRightWhicheverLaunchFails) {
  long launches = 1;
  for (long launch = 1; launch <= launches; ++launch) {
    SCOPED_TRACE(launch);
    Context context(in_pieces());
    large_axpy(context);
    // In pieces where it is in place; what is copied is updated by one launch.
    if (ContextEngine::of(context).gpu()->sharing().granularity() == 1) launches = 4;
    layer.fail_kernel("axpy", launch, -5);
    large_axpy(context);
    EXPECT_TRUE(Context::last_call().recovered);
    layer.true_driver();
    large_axpy(context);
  }
}

TEST_F(VectorRoutines, OmatcopyIsRightWhateverCallFails) {
  expect_right_where_any_call_fails([&](Context& context) {
    TestMatrix<double> a(70, 50, 3), b(50, 70, 2);
    a.randomise(1);
    context.omatcopy<double>(Layout::row_major, Op::transpose, 70, 50, 1, a.data(), a.ld(),
                             b.data(), b.ld());
    EXPECT_TRUE(b.guards_untouched());
    for (std::int64_t i = 0; i < 50; ++i)
      for (std::int64_t j = 0; j < 70; ++j) ASSERT_EQ(b.at(i, j), a.at(j, i));
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

template <typename T>
void expect_right_updates_on_device(DeviceBlasTest& test) {
  constexpr std::size_t before = 3;
  const auto span = [](std::int64_t size, std::int64_t increment) {
    return static_cast<std::size_t>((size - 1) * std::abs(increment) + 1);
  };
  for (const GerCase& c : covering_ger_cases())
    expect_right_ger<T>(c, [&](const CallerGer& call) {
      const bool rows = c.layout == Layout::row_major;
      const auto of_a =
          static_cast<std::size_t>(((rows ? c.m : c.n) - 1) * call.lda + (rows ? c.n : c.m));
      const cl::Buffer a = test.upload(static_cast<const T*>(call.a), of_a, before),
                       x = test.upload(static_cast<const T*>(call.x), span(c.m, c.incx), before),
                       y = test.upload(static_cast<const T*>(call.y), span(c.n, c.incy), before);
      const auto ger = c.conjugates ? &DeviceBlas::gerc<T> : &DeviceBlas::ger<T>;
      ((*test.blas).*ger)(c.layout, c.m, c.n, static_cast<Real<T>>(c.alpha),
                          {test.raw(x), before, c.incx}, {test.raw(y), before, c.incy},
                          {test.raw(a), before, call.lda}, {});
      test.download(a, static_cast<T*>(call.a), of_a, before);
    });
  for (const AxpyCase& c : covering_axpy_cases())
    expect_right_axpy<T>(c, [&](const CallerAxpy& call) {
      const std::size_t of_y = span(c.n, c.incy);
      const cl::Buffer x = test.upload(static_cast<const T*>(call.x), span(c.n, c.incx), before),
                       y = test.upload(static_cast<const T*>(call.y), of_y, before);
      test.blas->axpy<T>(c.n, static_cast<Real<T>>(c.alpha), {test.raw(x), before, c.incx},
                         {test.raw(y), before, c.incy});
      test.download(y, static_cast<T*>(call.y), of_y, before);
    });
}

TEST_F(DeviceVectors, GerAndAxpyAreRightInAProgramsBuffers) {
  expect_right_updates_on_device<float>(*this);
  expect_right_updates_on_device<std::complex<double>>(*this);
}

TEST_F(DeviceVectors, GerAndAxpyWithAZeroAlphaGiveAnEvent) {
  _cl_event* done = nullptr;
  blas->ger<float>(Layout::row_major, 3, 7, 0, {}, {}, {nullptr, 0, 7}, {{}, &done});
  const cl::Event first(done);
  ASSERT_NE(done, nullptr);
  _cl_event* later = nullptr;
  blas->axpy<float>(5, 0, {}, {}, {{done}, &later});
  ASSERT_NE(later, nullptr);
  queue.wait(cl::Event(later));
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

TEST_F(DeviceVectors, OmatcopyIsRightInAProgramsBuffers) {
  for (const double alpha : {1.0, -0.5, 0.0})
    for (const Op op : {Op::none, Op::transpose}) {
      TestMatrix<float> a(20, 30, 2), b(op == Op::none ? 20 : 30, op == Op::none ? 30 : 20, 1);
      a.randomise(1);
      const auto of_a = static_cast<std::size_t>(19 * a.ld() + 30);
      const auto of_b = static_cast<std::size_t>((b.lines() - 1) * b.ld() + b.length());
      const cl::Buffer in = upload(a.data(), of_a, 5), out = upload(b.data(), of_b, 2);
      blas->omatcopy<float>(Layout::row_major, op, 20, 30, static_cast<float>(alpha),
                            {raw(in), 5, a.ld()}, {raw(out), 2, b.ld()});
      download(out, b.data(), of_b, 2);
      EXPECT_TRUE(b.guards_untouched());
      for (std::int64_t i = 0; i < b.lines(); ++i)
        for (std::int64_t j = 0; j < b.length(); ++j)
          ASSERT_EQ(b.at(i, j),
                    static_cast<float>(alpha) * (op == Op::none ? a.at(i, j) : a.at(j, i)));
    }
}

// Vectors of 16 bytes, where both matrices' rows start at those and where they do not.
TEST_F(DeviceVectors, OmatcopyByVectorsIsRightWhereverRowsStart) {
  blas.reset();
  QueuedProducts products(queue.raw(), GpuFolders{});
  for (const bool transposes : {false, true})
    for (const int pad : {0, 1, 4})
      for (const std::int64_t before : {0, 4, 5}) {
        CopyProblem problem;
        problem.transposes = transposes;
        problem.rows = 36;
        problem.columns = 40;
        TestMatrix<float> a(problem.stored_rows(), problem.stored_columns(), pad), b(36, 40, 4);
        a.randomise(1);
        const auto span = [](const TestMatrix<float>& m) {
          return static_cast<std::size_t>((m.lines() - 1) * m.ld() + m.length());
        };
        const auto offset = static_cast<std::size_t>(before);
        const cl::Buffer in = upload(a.data(), span(a), offset), out = upload(b.data(), span(b), 0);
        products.enqueue(
            QueuedCopy{
                problem, {16, 4, 2, 1, 4}, {in.raw(), before, a.ld()}, {out.raw(), 0, b.ld()}},
            {}, nullptr);
        download(out, b.data(), span(b), 0);
        EXPECT_TRUE(b.guards_untouched());
        for (std::int64_t i = 0; i < 36; ++i)
          for (std::int64_t j = 0; j < 40; ++j)
            ASSERT_EQ(b.at(i, j), transposes ? a.at(j, i) : a.at(i, j)) << pad << ", " << before;
      }
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
  const auto ger = [&](const DeviceVector& x, const DeviceVector& y, const DeviceMatrix& matrix) {
    return position([&] { blas->ger<float>(Layout::column_major, 10, 10, 1, x, y, matrix); });
  };
  EXPECT_EQ(ger(fits, fits, a), 0);
  EXPECT_EQ(ger({raw(buffer), 91, 1}, fits, a), 5);
  EXPECT_EQ(ger(fits, {raw(buffer), 0, 12}, a), 7);
  EXPECT_EQ(ger(fits, fits, {raw(buffer), 1, 10}), 9);
  const auto axpy = [&](const DeviceVector& x, const DeviceVector& y) {
    return position([&] { blas->axpy<float>(50, 1, x, y); });
  };
  EXPECT_EQ(axpy({raw(buffer), 99, 0}, fits), 0);
  EXPECT_EQ(axpy({raw(buffer), 100, 0}, fits), 3);
  EXPECT_EQ(axpy({raw(buffer), 0, -3}, fits), 3);
  EXPECT_EQ(axpy(fits, {raw(buffer), 51, 1}), 5);
  EXPECT_EQ(axpy(fits, {raw(buffer), 0, 0}), 6);
  EXPECT_EQ(axpy(fits, {raw(buffer), 0, std::int64_t{1} << 31}), 6);
  EXPECT_EQ(
      position([&] {
        blas->omatcopy<float>(Layout::row_major, Op::transpose, 10, 10, 1, a, {raw(buffer), 1, 10});
      }),
      8);
}

}  // namespace
}  // namespace duoblas::test
