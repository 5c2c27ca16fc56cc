// gemv that takes a program's memory in place of our own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <duoblas/opencl.h>
#include <duoblas/error.hpp>

#include "cl_layer/device_blas_case.hpp"
#include "support/gemv_case.hpp"
#include "support/refused_argument.hpp"

namespace duoblas::test {
namespace {

// A sum that is long enough for slices, of elements of x that are apart.
struct LongGemv {
  static constexpr std::int64_t m = 3, n = 20'000, incx = 2;

  explicit LongGemv(DeviceBlasTest& of) : test(of) {
    const std::vector<float> ones(static_cast<std::size_t>(m * n), 1);
    a = test.upload(ones.data(), ones.size(), 0);
    x = test.upload(ones.data(), static_cast<std::size_t>(n * incx), 0);
    y = test.upload(ones.data(), m, 0);
  }
  void run(float alpha = 1) {
    test.blas->gemv<float>(Layout::row_major, Op::none, m, n, alpha, {test.raw(a), 0, n},
                           {test.raw(x), 0, incx}, 0, {test.raw(y), 0, 1});
  }
  std::vector<float> result() {
    std::vector<float> values(m);
    test.download(y, values.data(), values.size(), 0);
    return values;
  }
  std::int64_t needs() const {
    return test.blas->gemv_workspace_bytes<float>(Layout::row_major, Op::none, m, n, incx);
  }

  DeviceBlasTest& test;
  cl::Buffer a, x, y;
};

struct GemvWorkspaceTest : DeviceBlasTest {
  cl::Buffer memory(std::int64_t bytes) const {
    return context.allocate(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)),
                            cl::Access::read_write);
  }
};

TEST_F(GemvWorkspaceTest, CallsAllocateNothingWhereTheyHaveOne) {
  LongGemv gemv(*this);
  gemv.run();  // compiled and tried
  const std::int64_t bytes = gemv.needs();
  ASSERT_GE(bytes, LongGemv::n * 4) << "an x without gaps";
  const cl::Buffer workspace = memory(bytes);
  blas->set_workspace({raw(workspace), 0, bytes});
  for (const float alpha : {1.0F, 0.0F}) {
    gemv.run(alpha);
    EXPECT_EQ(gemv.result(), std::vector<float>(LongGemv::m, alpha * LongGemv::n));
    layer.reset();
    gemv.run(alpha);
    EXPECT_EQ(layer.calls_of("clCreateBuffer"), 0);
    EXPECT_EQ(layer.calls_of("clCreateSubBuffer"), 0) << "the same sizes: the same buffers";
    EXPECT_EQ(gemv.result(), std::vector<float>(LongGemv::m, alpha * LongGemv::n));
  }
}

TEST_F(GemvWorkspaceTest, TooSmallAOneIsRefusedBeforeAnythingIsEnqueued) {
  LongGemv gemv(*this);
  gemv.run();
  const std::int64_t bytes = gemv.needs();
  const cl::Buffer workspace = memory(bytes);
  blas->set_workspace({raw(workspace), 0, bytes - 1});
  queue.finish();
  layer.reset();
  try {
    gemv.run();
    ADD_FAILURE() << "it was taken";
  } catch (const SettingError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("the workspace has " + std::to_string(bytes - 1) + " bytes"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("takes " + std::to_string(bytes)), std::string::npos) << said;
  }
  for (const char* enqueued : {"clEnqueueNDRangeKernel", "clEnqueueFillBuffer", "clCreateBuffer"})
    EXPECT_EQ(layer.calls_of(enqueued), 0) << enqueued;
  blas->set_workspace({});
  gemv.run();
  EXPECT_EQ(gemv.result(), std::vector<float>(LongGemv::m, LongGemv::n));
}

TEST_F(GemvWorkspaceTest, IsAsGoodAsOurOwnMemoryForAllCalls) {
  using T = double;
  for (const GemvCase& c : covering_gemv_cases())
    expect_right_gemv<T>(c, [&](const CallerGemv& call) {
      const bool rows = c.layout == Layout::row_major;
      const auto of_a =
          static_cast<std::size_t>(((rows ? c.m : c.n) - 1) * call.lda + (rows ? c.n : c.m));
      const auto span = [](std::int64_t size, std::int64_t increment) {
        return static_cast<std::size_t>((size - 1) * std::abs(increment) + 1);
      };
      const std::size_t of_x = span(c.terms(), c.incx), of_y = span(c.outputs(), c.incy);
      const cl::Buffer a = upload(static_cast<const T*>(call.a), of_a, 0),
                       x = upload(static_cast<const T*>(call.x), of_x, 0),
                       y = upload(static_cast<const T*>(call.y), of_y, 0);
      const std::int64_t bytes = blas->gemv_workspace_bytes<T>(c.layout, c.op, c.m, c.n, c.incx);
      const cl::Buffer workspace = memory(bytes);
      blas->set_workspace({raw(workspace), 0, bytes});
      blas->gemv<T>(c.layout, c.op, c.m, c.n, c.alpha, {raw(a), 0, call.lda}, {raw(x), 0, c.incx},
                    c.beta, {raw(y), 0, c.incy});
      download(y, static_cast<T*>(call.y), of_y, 0);
    });
}

// One memory serves products and gemv, one after another.
TEST_F(GemvWorkspaceTest, IsSharedWithProducts) {
  LongGemv gemv(*this);
  const Squares squares(*this, 130);
  const std::int64_t bytes =
      std::max(gemv.needs(),
               blas->workspace_bytes<float>(Layout::row_major, Op::none, Op::none, 130, 130, 130));
  const cl::Buffer workspace = memory(bytes);
  blas->set_workspace({raw(workspace), 0, bytes});
  for (int round = 0; round < 3; ++round) {
    squares.multiply(*blas);
    gemv.run();
  }
  EXPECT_TRUE(squares.is_right(*this));
  EXPECT_EQ(gemv.result(), std::vector<float>(LongGemv::m, LongGemv::n));
}

TEST_F(GemvWorkspaceTest, IllegalArgumentsAreNamed) {
  const auto position = [&](Op op, std::int64_t m, std::int64_t n, std::int64_t incx) {
    return refused_position(
        [&] { blas->gemv_workspace_bytes<double>(Layout::column_major, op, m, n, incx); });
  };
  EXPECT_EQ(position(Op::transpose, 5, 6, -2), 0);
  EXPECT_EQ(position(static_cast<Op>(9), 5, 6, 1), 2);
  EXPECT_EQ(position(Op::none, -1, 6, 1), 3);
  EXPECT_EQ(position(Op::none, 5, -1, 1), 4);
  EXPECT_EQ(position(Op::none, 5, 6, 0), 5);
  EXPECT_EQ(blas->gemv_workspace_bytes<double>(Layout::row_major, Op::none, 0, 6), 0);
  EXPECT_THROW(
      blas->gemv_workspace_bytes<double>(Layout::row_major, Op::none, std::int64_t{1} << 40, 6),
      DeviceError);
}

TEST_F(GemvWorkspaceTest, WorksThroughTheCInterface) {
  LongGemv gemv(*this);
  duoblas_device_blas* made = nullptr;
  ASSERT_EQ(duoblas_device_blas_create(raw(queue), &made), DUOBLAS_OK) << duoblas_last_error();
  std::int64_t bytes = 0;
  for (const auto asked : {duoblas_device_dgemv_workspace, duoblas_device_cgemv_workspace,
                           duoblas_device_zgemv_workspace, duoblas_device_sgemv_workspace}) {
    bytes = 0;
    EXPECT_EQ(asked(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, LongGemv::m, LongGemv::n,
                    LongGemv::incx, &bytes),
              DUOBLAS_OK);
    EXPECT_GE(bytes, LongGemv::n * 4);
    EXPECT_EQ(asked(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, 3, 3, 0, &bytes),
              DUOBLAS_INVALID_ARGUMENT);
    EXPECT_EQ(asked(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, 3, 3, 1, nullptr),
              DUOBLAS_INVALID_ARGUMENT);
    EXPECT_STREQ(duoblas_last_error(), "argument 6 (bytes) is a null pointer");
  }
  EXPECT_EQ(bytes, gemv.needs());
  const cl::Buffer workspace = memory(bytes);
  const auto run = [&] {
    return duoblas_device_sgemv(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, LongGemv::m, LongGemv::n,
                                1, {raw(gemv.a), 0, LongGemv::n}, {raw(gemv.x), 0, LongGemv::incx},
                                0, {raw(gemv.y), 0, 1}, nullptr);
  };
  EXPECT_EQ(duoblas_device_blas_set_workspace(made, raw(workspace), 0, bytes - 1), DUOBLAS_OK);
  EXPECT_EQ(run(), DUOBLAS_INVALID_SETTING);
  EXPECT_EQ(duoblas_device_blas_set_workspace(made, raw(workspace), 0, bytes), DUOBLAS_OK);
  EXPECT_EQ(run(), DUOBLAS_OK);
  EXPECT_EQ(gemv.result(), std::vector<float>(LongGemv::m, LongGemv::n));
  duoblas_device_blas_free(made);
}

}  // namespace
}  // namespace duoblas::test
