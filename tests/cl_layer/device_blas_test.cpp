// Products in a program's own buffers, on its own queue.
#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include <duoblas/opencl.h>
#include <duoblas/opencl.hpp>

#include "cl_layer/device_blas_case.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/tiled_points.hpp"
#include "opencl/callers_objects.hpp"
#include "opencl/function_table.hpp"
#include "opencl/handles.hpp"
#include "support/gemm_case.hpp"
#include "support/refused_argument.hpp"

namespace duoblas::test {
namespace {

TEST_F(DeviceBlasTest, IsRightForAllTypesOpsLayoutsAndOffsets) {
  int turn = 0;
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    for (const Op op_a : {Op::none, Op::transpose, Op::conj_transpose}) {
      for (const Op op_b : {Op::none, Op::transpose}) {
        CaseFactors factors;
        factors.layout = layout;
        factors.op_a = op_a;
        factors.op_b = op_b;
        factors.m = 37;
        factors.n = 70;
        factors.k = 53;
        factors.pad = turn % 3;
        factors.alpha = 0.5;
        factors.beta = turn % 2 == 0 ? 0 : -0.7;
        const std::int64_t offset = turn++ % 5;
        expect_right<float>(factors, on_device<float>(offset));
        expect_right<double>(factors, on_device<double>(offset));
        expect_right<std::complex<float>>(factors, on_device<std::complex<float>>(offset));
        expect_right<std::complex<double>>(factors, on_device<std::complex<double>>(offset));
      }
    }
  }
}

TEST_F(DeviceBlasTest, MakesNoEventWhereNobodyAsksForOne) {
  const Squares squares(*this, 48);
  squares.multiply(*blas);  // the kernel is built
  queue.finish();
  layer.reset();
  squares.multiply(*blas);
  EXPECT_GT(layer.calls_of("clEnqueueNDRangeKernel"), 0);
  EXPECT_EQ(layer.calls_of("clReleaseEvent"), 0);
  EXPECT_TRUE(squares.is_right(*this));
}

TEST_F(DeviceBlasTest, ScalesCWhereThereIsNoProductAndReadsNothing) {
  for (const double beta : {0.0, 1.0, -0.7}) {
    CaseFactors factors;
    factors.m = 33;
    factors.n = 21;
    factors.k = 7;
    factors.pad = 2;
    factors.alpha = 0;  // A and B are NaN
    factors.beta = beta;
    expect_right<double>(factors, on_device<double>(1));
    factors.layout = Layout::column_major;
    expect_right<float>(factors, on_device<float>(1));
  }
  const Squares squares(*this, 4);
  blas->gemm<float>(Layout::row_major, Op::none, Op::none, 4, 4, 0, 1, {nullptr, 0, 1},
                    {nullptr, 0, 4}, 4, {raw(squares.c), 0, 4});
  EXPECT_TRUE(squares.is_right(*this));
}

// Nobody looks at its results, so a kernel that fails its trial never runs on the program's memory.
TEST_F(DeviceBlasTest, HasNoUseForWrongKernels) {
  const Squares squares(*this, 40);
  layer.spoil("add s 1 0 0 1 1 1");
  testing::internal::CaptureStderr();
  EXPECT_THROW(squares.multiply(*blas), DeviceError);
  layer.spoil(nullptr);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(" and should be "), std::string::npos) << said;
  EXPECT_NE(said.find("It is not used"), std::string::npos) << said;
  std::vector<float> result(squares.ones.size());
  download(squares.c, result.data(), result.size(), 0);
  EXPECT_EQ(result, squares.ones) << "C is as it was";
  blas.emplace(raw(queue), settings);
  squares.multiply(*blas);
  EXPECT_TRUE(squares.is_right(*this));
}

TEST_F(DeviceBlasTest, WaitsForNothing) {
  const Squares squares(*this, 200);
  squares.multiply(*blas);  // compiled
  layer.reset();
  squares.multiply(*blas);
  for (const char* waiting : {"clFinish", "clWaitForEvents", "clEnqueueReadBuffer",
                              "clEnqueueWriteBuffer", "clEnqueueMapBuffer"})
    EXPECT_EQ(layer.calls_of(waiting), 0) << waiting;
  EXPECT_EQ(layer.calls_of("clCreateKernel"), 0);
  EXPECT_EQ(layer.calls_of("clFlush"), 1);
  EXPECT_EQ(layer.bytes_copied(), 0);
  EXPECT_TRUE(squares.is_right(*this));
}

// The first product of a guarded kernel makes its flag. This device has no such instructions: the
// kernel does not compile, but what comes before it is on the queue by then.
TEST_F(DeviceBlasTest, AGuardedProductWaitsForNothingEither) {
  OpenedDevice device(cl::adopt_queue(queue.raw()), GpuFolders{});
  const Squares squares(*this, 64);
  GemmProblem problem;
  problem.precision = Precision::s;
  problem.m = problem.n = problem.k = 64;
  problem.alpha = 1.0;
  ProductOperands operands;
  for (BoundOperand* operand : {&operands.a, &operands.b, &operands.c}) {
    operand->buffer =
        std::make_shared<cl::Buffer>(context.allocate(64 * 256, cl::Access::read_write));
    operand->pitch_bytes = 256;
  }
  ProductScratch scratch;
  layer.reset();
  try {
    submit_product(device, problem, default_tf32x3(), operands, scratch);
  } catch (const DeviceError&) {
    // Nothing of it can run here.
  }
  EXPECT_EQ(layer.calls_of("clEnqueueFillBuffer"), 1);
  for (const char* waiting : {"clFinish", "clWaitForEvents", "clEnqueueReadBuffer",
                              "clEnqueueWriteBuffer", "clEnqueueMapBuffer"})
    EXPECT_EQ(layer.calls_of(waiting), 0) << waiting;
  queue.finish();  // PoCL may still compile what was launched, and the process ends
}

TEST_F(DeviceBlasTest, TakesEventsAndGivesOne) {
  const Squares squares(*this, 300);
  cl::Queue other(context);
  const std::vector<float> threes(squares.ones.size(), 3);
  const std::size_t bytes = threes.size() * 4;
  for (int round = 0; round < 5; ++round) {
    squares.multiply(*blas);
    const cl::Event read = queue.mark();
    queue.flush();
    other.start_after(read);
    const auto& values = round % 2 == 0 ? threes : squares.ones;
    const cl::Event written = other.write_later(squares.a, values.data(), bytes, 0);
    other.flush();
    _cl_event* done = nullptr;
    squares.multiply(*blas, {{static_cast<_cl_event*>(written.raw())}, &done});
    const cl::Event event(done);
    ASSERT_TRUE(event);
    other.start_after(event);
    std::vector<float> result(threes.size());
    other.read(squares.c, result.data(), {1, bytes, bytes, bytes, 0});
    EXPECT_EQ(result, std::vector<float>(result.size(), 300 * values.front()));
  }
}

TEST_F(DeviceBlasTest, GivesAnEventOfNothingToo) {
  _cl_event* done = nullptr;
  blas->gemm<float>(Layout::row_major, Op::none, Op::none, 0, 5, 5, 1, {nullptr, 0, 5},
                    {nullptr, 0, 5}, 0, {nullptr, 0, 5}, {{}, &done});
  const cl::Event event(done);
  ASSERT_TRUE(event);
  queue.wait(event);
}

TEST_F(DeviceBlasTest, NamesArgumentsThatDoNotFit) {
  const Squares squares(*this, 10);
  cl::Context elsewhere(context.device());
  const cl::Buffer foreign = elsewhere.allocate(1000, cl::Access::read_write);
  const auto position = [&](const DeviceMatrix& a, const DeviceMatrix& b, const DeviceMatrix& c) {
    return refused_position([&] {
      blas->gemm<float>(Layout::column_major, Op::none, Op::none, 10, 10, 10, 1, a, b, 0, c);
    });
  };
  const DeviceMatrix a{raw(squares.a), 0, 10}, b{raw(squares.b), 0, 10}, c{raw(squares.c), 0, 10};
  EXPECT_EQ(position(a, b, c), 0);
  EXPECT_EQ(position({nullptr, 0, 10}, b, c), 8);
  EXPECT_EQ(position({raw(squares.a), 0, 9}, b, c), 9);
  EXPECT_EQ(position({raw(squares.a), 1, 10}, b, c), 8) << "one element too far";
  EXPECT_EQ(position(a, {raw(squares.b), -1, 10}, c), 10);
  EXPECT_EQ(position(a, {raw(squares.b), 0, 11}, c), 10);
  EXPECT_EQ(position(a, b, {raw(foreign), 0, 10}), 13);
  EXPECT_EQ(position(a, b, {raw(squares.c), std::int64_t{1} << 62, 10}), 13);
}

TEST_F(DeviceBlasTest, NeedsAQueueThatIsInOrder) {
  EXPECT_THROW(DeviceBlas(nullptr, settings), DeviceError);
  cl_int code = 0;
  const cl::Queue unordered(cl::functions().clCreateCommandQueue(
      static_cast<cl_context>(context.raw()), static_cast<cl_device_id>(context.device().id),
      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code));
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_THROW(DeviceBlas(raw(unordered), settings), DeviceError);
}

TEST_F(DeviceBlasTest, OutlivesTheProgramsReferences) {
  const Squares squares(*this, 100);
  DeviceBlas moved = std::move(*blas);
  *blas = std::move(moved);
  const cl::Queue reader(context);
  _cl_event* done = nullptr;
  {
    cl::Queue mine(context);
    DeviceBlas own(raw(mine), settings);
    mine.reset();
    squares.multiply(own, {{}, &done});
  }
  queue.wait(cl::Event(done));
  EXPECT_TRUE(squares.is_right(*this));
}

TEST_F(DeviceBlasTest, SaysWhenACallFailsAndLeaksNothing) {
  const Squares squares(*this, 64);
  squares.multiply(*blas);
  queue.finish();
  const long kept = layer.live_objects();
  int failed = 0;
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 100) << "no end of calls";
    layer.fail(("*:" + std::to_string(number)).c_str());
    try {
      squares.multiply(*blas);
    } catch (const DeviceError&) {
      ++failed;
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    EXPECT_EQ(layer.live_objects(), kept);
    squares.multiply(*blas);
    EXPECT_TRUE(squares.is_right(*this));
    if (!fired) break;
  }
  EXPECT_GT(failed, 10);
}

TEST_F(DeviceBlasTest, TakesAnotherKernelWhereTheDriverRefusesOne) {
  const Squares squares(*this, 64);
  layer.fail("clBuildProgram:1=-11");
  squares.multiply(*blas);
  EXPECT_EQ(layer.fired(), 1);
  EXPECT_TRUE(squares.is_right(*this));
  layer.fail("clBuildProgram:1+=-11");
  DeviceBlas other(raw(queue), settings);
  EXPECT_THROW(squares.multiply(other), DeviceError);
  EXPECT_LE(layer.calls_of("clBuildProgram"), 8);
}

TEST_F(DeviceBlasTest, WorksThroughTheCInterface) {
  const Squares squares(*this, 50);
  duoblas_device_blas* made = nullptr;
  ASSERT_EQ(duoblas_device_blas_create(raw(queue), &made), DUOBLAS_OK) << duoblas_last_error();
  const duoblas_device_matrix a = {raw(squares.a), 0, 50}, b = {raw(squares.b), 0, 50},
                              c = {raw(squares.c), 0, 50};
  _cl_event* done = nullptr;
  const duoblas_device_events events = {0, nullptr, &done};
  EXPECT_EQ(duoblas_device_sgemm(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_TRANS, 50, 50,
                                 50, 1, a, b, 0, c, &events),
            DUOBLAS_OK);
  queue.wait(cl::Event(done));
  EXPECT_TRUE(squares.is_right(*this));
  EXPECT_EQ(duoblas_device_sgemm(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_TRANS, 50, 50,
                                 50, 1, a, {raw(squares.b), 1, 50}, 0, c, nullptr),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 10 (b) reaches beyond the end of its buffer");
  const std::int64_t wraps_around = std::int64_t{1} << 62;  // 4 of these elements are 2^64 bytes
  EXPECT_EQ(duoblas_device_sgemm(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_TRANS, 5, 50,
                                 50, 1, {raw(squares.a), 0, wraps_around}, b, 0, c, nullptr),
            DUOBLAS_INVALID_ARGUMENT);
  const duoblas_device_events nameless = {1, nullptr, nullptr};
  EXPECT_EQ(duoblas_device_sgemm(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_TRANS, 50, 50,
                                 50, 1, a, b, 0, c, &nameless),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 15 (events) counts events, but names none");
  EXPECT_EQ(duoblas_device_dgemm(nullptr, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_TRANS, 1, 1,
                                 1, 1, a, b, 0, c, nullptr),
            DUOBLAS_DEVICE_ERROR);
  duoblas_device_blas_free(made);
  duoblas_device_blas_free(nullptr);
  EXPECT_EQ(duoblas_device_blas_create(nullptr, &made), DUOBLAS_DEVICE_ERROR);
  EXPECT_EQ(made, nullptr);
}

}  // namespace
}  // namespace duoblas::test
