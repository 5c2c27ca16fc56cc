// Batches in a program's own buffers, on its own queue.
#include <algorithm>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <duoblas/opencl.h>
#include <duoblas/error.hpp>
#include <duoblas/opencl.hpp>

#include "cl_layer/layer_control.hpp"
#include "opencl/handles.hpp"
#include "support/batch_case.hpp"
#include "support/covering_array.hpp"
#include "support/element_types.hpp"
#include "support/refused_argument.hpp"
#include "support/turns.hpp"

namespace duoblas::test {
namespace {

struct DeviceBatchTest : testing::Test {
  const LayerControl& layer = LayerControl::get();
  cl::Context context{cl::list_devices().at(0)};
  cl::Queue queue{context};
  Settings settings;  // nothing is read from the environment or from disk
  std::optional<DeviceBlas> blas{std::in_place, static_cast<_cl_command_queue*>(queue.raw()),
                                 settings};

  static _cl_mem* raw(const cl::Buffer& buffer) { return static_cast<_cl_mem*>(buffer.raw()); }

  /// Elements [first, last] of the caller's memory as a buffer.
  template <typename T>
  struct Copy {
    const T* first;
    std::size_t elements;
    cl::Buffer buffer;
  };

  template <typename T>
  Copy<T> upload(const std::vector<const T*>& places, std::int64_t extent) {
    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    const auto elements = static_cast<std::size_t>(*most - *least + extent);
    Copy<T> copy{*least, elements, context.allocate(elements * sizeof(T), cl::Access::read_write)};
    const std::size_t bytes = elements * sizeof(T);
    queue.write(copy.buffer, *least, {1, bytes, bytes, bytes, 0}, true);
    return copy;
  }

  template <typename T>
  static DeviceMatrices matrices(const Copy<T>& copy, const std::vector<const T*>& places,
                                 std::int64_t ld) {
    DeviceMatrices made{raw(copy.buffer), {}, ld};
    for (const T* place : places) made.offsets.push_back(place - copy.first);
    return made;
  }

  template <typename T>
  BatchFront<T> on_device(bool by_offsets) {
    return [this, by_offsets](const BatchCall<T>& b) {
      const Call<T>& s = b.shape;
      const bool rows = s.layout == Layout::row_major;
      const auto extent = [&](std::int64_t m, std::int64_t n, Op op, std::int64_t ld) {
        const bool as_is = (op == Op::none) == rows;
        return ((as_is ? m : n) - 1) * ld + (as_is ? n : m);
      };
      const std::vector<const T*> c_places(b.c_places.begin(), b.c_places.end());
      const Copy<T> a = upload(b.a_places, extent(s.m, s.k, s.op_a, s.lda));
      const Copy<T> bb = upload(b.b_places, extent(s.k, s.n, s.op_b, s.ldb));
      const Copy<T> c = upload(c_places, extent(s.m, s.n, Op::none, b.ldc));
      const long before = layer.calls_of("clEnqueueNDRangeKernel");
      if (by_offsets)
        blas->gemm_batched<T>(s.layout, s.op_a, s.op_b, s.m, s.n, s.k, s.alpha,
                              matrices(a, b.a_places, s.lda), matrices(bb, b.b_places, s.ldb),
                              s.beta, matrices(c, c_places, b.ldc));
      else
        blas->gemm_strided_batched<T>(s.layout, s.op_a, s.op_b, s.m, s.n, s.k, s.alpha,
                                      {raw(a.buffer), 0, s.lda}, b.stride_a,
                                      {raw(bb.buffer), 0, s.ldb}, b.stride_b, s.beta,
                                      {raw(c.buffer), 0, b.ldc}, b.stride_c, b.count);
      launches = layer.calls_of("clEnqueueNDRangeKernel") - before;
      const std::size_t bytes = c.elements * sizeof(T);
      queue.read(c.buffer, const_cast<T*>(c.first), {1, bytes, bytes, bytes, 0});
    };
  }

  long launches = 0;

  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.reset();
    blas.reset();
    queue.reset();
    context.reset();
    EXPECT_EQ(layer.live_objects(), 0);
  }
};

TEST_F(DeviceBatchTest, IsRightForAllTypesOpsLayoutsAndPlaces) {
  constexpr Layout layouts[] = {Layout::row_major, Layout::column_major};
  constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};
  int turn = 0;
  for (const std::vector<int>& row : covering_array({2, 2, 3, 3}, 1)) {
    const bool by_offsets = row[0] == 1;
    BatchFactors f;
    f.one = {.layout = layouts[row[1]],
             .op_a = ops[row[2]],
             .op_b = ops[row[3]],
             .m = 13,
             .n = 34,
             .k = 21,
             .pad = turn % 3,
             .alpha = 0.5,
             .beta = turn % 2 == 0 ? 0 : -0.7};
    f.count = 6;
    f.gap = turn % 4 - 1;
    f.shuffled = by_offsets;
    f.shared_a = turn % 5 == 0;
    ++turn;
    SCOPED_TRACE(by_offsets ? "by offsets" : "strided");
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      // A real number's conjugate is itself: its kernels are those of transposed.
      const auto number = [](Op op) {
        return is_complex(precision_of<T>) ? static_cast<int>(op) : op != Op::none;
      };
      if (has_turn(precision_of<T>, number(f.one.op_a) + number(f.one.op_b)))
        expect_batch_right<T>(f, on_device<T>(by_offsets));
    });
  }
}

TEST_F(DeviceBatchTest, IsOneLaunchWhereNothingIsPacked) {
  BatchFactors f;
  f.one = {.m = 16, .n = 16, .k = 16};
  f.count = 100;
  for (const bool by_offsets : {false, true}) {
    expect_batch_right<float>(f, on_device<float>(by_offsets));  // kernels are built and tried
    expect_batch_right<float>(f, on_device<float>(by_offsets));
    EXPECT_EQ(launches, 1);
  }
}

// A launch has 65535 at most.
TEST_F(DeviceBatchTest, HasManyMoreProductsThanALaunch) {
  BatchFactors f;
  f.one = {.m = 3, .n = 2, .k = 2, .beta = -0.7};
  for (const bool by_offsets : {false, true}) {
    f.count = 2;
    expect_batch_right<float>(f, on_device<float>(by_offsets));  // kernels are built and tried
    f.count = 70000;
    expect_batch_right<float>(f, on_device<float>(by_offsets));
    EXPECT_GE(launches, 2);
  }
}

// Nobody looks at its results, so a kernel that fails its trial never runs on the program's memory.
TEST_F(DeviceBatchTest, HasNoUseForWrongKernels) {
  constexpr std::int64_t n = 40, count = 3;
  const std::vector<float> ones(count * n * n, 1);
  std::vector<float> result(ones.size());
  const std::size_t bytes = ones.size() * sizeof(float);
  const cl::Buffer a = context.allocate(bytes, cl::Access::read_write),
                   c = context.allocate(bytes, cl::Access::read_write);
  for (const cl::Buffer* buffer : {&a, &c})
    queue.write(*buffer, ones.data(), {1, bytes, bytes, bytes, 0}, true);
  const auto multiply = [&] {
    blas->gemm_strided_batched<float>(Layout::row_major, Op::none, Op::none, n, n, n, 1,
                                      {raw(a), 0, n}, n * n, {raw(a), 0, n}, n * n, 0,
                                      {raw(c), 0, n}, n * n, count);
  };
  layer.spoil("add s 1 0 0 1 1 1");
  testing::internal::CaptureStderr();
  EXPECT_THROW(multiply(), DeviceError);
  layer.spoil(nullptr);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("of a batch: "), std::string::npos) << said;
  EXPECT_NE(said.find("It is not used"), std::string::npos) << said;
  queue.read(c, result.data(), {1, bytes, bytes, bytes, 0});
  EXPECT_EQ(result, ones) << "C is as it was";
  blas.emplace(static_cast<_cl_command_queue*>(queue.raw()), settings);
  multiply();
  queue.read(c, result.data(), {1, bytes, bytes, bytes, 0});
  EXPECT_EQ(result, std::vector<float>(ones.size(), n));
}

TEST_F(DeviceBatchTest, ScalesCWhereThereIsNoProductAndReadsNothing) {
  for (const bool by_offsets : {false, true})
    for (const double beta : {0.0, -0.7})
      for (const std::int64_t k : {0, 5}) {
        BatchFactors f;
        f.one = {.m = 7, .n = 9, .k = k, .pad = 1, .alpha = k == 0 ? 1.0 : 0.0, .beta = beta};
        f.count = 4;
        if (k == 0) continue;  // there are no A and B to upload
        expect_batch_right<float>(f, on_device<float>(by_offsets));
      }
}

TEST_F(DeviceBatchTest, RefusesWhatReachesBeyondABuffer) {
  const cl::Buffer buffer = context.allocate(100 * sizeof(float), cl::Access::read_write);
  const auto position_of = [&](std::int64_t stride_a, std::int64_t stride_c, std::int64_t count) {
    return refused_position([&] {
      blas->gemm_strided_batched<float>(Layout::row_major, Op::none, Op::none, 2, 2, 2, 1,
                                        {raw(buffer), 0, 2}, stride_a, {raw(buffer), 0, 2}, 0, 0,
                                        {raw(buffer), 0, 2}, stride_c, count);
    });
  };
  EXPECT_EQ(position_of(4, 4, 26), 15);
  EXPECT_EQ(position_of(25, 4, 5), 8);
  EXPECT_EQ(position_of(-4, 4, 5), 10);
  EXPECT_EQ(position_of(4, 3, 5), 17);
  EXPECT_EQ(position_of(4, 4, 0), 0);
  const DeviceMatrices two{raw(buffer), {0, 8}, 2}, three{raw(buffer), {0, 8, 16}, 2},
      beyond{raw(buffer), {0, 97}, 2}, negative{raw(buffer), {-1, 8}, 2};
  const auto position_in = [&](const DeviceMatrices& a, const DeviceMatrices& c) {
    return refused_position([&] {
      blas->gemm_batched<float>(Layout::row_major, Op::none, Op::none, 2, 2, 2, 1, a, two, 0, c);
    });
  };
  EXPECT_EQ(position_in(three, two), 8);
  EXPECT_EQ(position_in(beyond, two), 8);
  EXPECT_EQ(position_in(two, negative), 13);
}

TEST_F(DeviceBatchTest, OfTheCInterfaceIsTheSame) {
  duoblas_device_blas* c_blas = nullptr;
  ASSERT_EQ(duoblas_device_blas_create(static_cast<_cl_command_queue*>(queue.raw()), &c_blas),
            DUOBLAS_OK);
  std::vector<double> ones(4 * 9, 1.0), result(ones.size());
  const std::size_t bytes = ones.size() * sizeof(double);
  const cl::Buffer a = context.allocate(bytes, cl::Access::read_write),
                   c = context.allocate(bytes, cl::Access::read_write);
  queue.write(a, ones.data(), {1, bytes, bytes, bytes, 0}, true);
  EXPECT_EQ(duoblas_device_dgemm_strided_batched(
                c_blas, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_TRANS, 3, 3, 3, 2.0,
                {raw(a), 0, 3}, 9, {raw(a), 0, 3}, 9, 0.0, {raw(c), 0, 3}, 9, 4, nullptr),
            DUOBLAS_OK)
      << duoblas_last_error();
  queue.read(c, result.data(), {1, bytes, bytes, bytes, 0});
  EXPECT_EQ(result, std::vector<double>(result.size(), 6.0));
  const std::vector<std::int64_t> backwards{27, 18, 9, 0};
  const auto listed = [&](const cl::Buffer& buffer, const std::int64_t* offsets) {
    return duoblas_device_matrices{raw(buffer), offsets, 3};
  };
  EXPECT_EQ(
      duoblas_device_dgemm_batched(c_blas, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_TRANS, 3, 3,
                                   3, 1.0, listed(a, backwards.data()), listed(a, backwards.data()),
                                   1.0, listed(c, backwards.data()), 4, nullptr),
      DUOBLAS_OK)
      << duoblas_last_error();
  queue.read(c, result.data(), {1, bytes, bytes, bytes, 0});
  EXPECT_EQ(result, std::vector<double>(result.size(), 9.0));
  const auto refused = [&](const std::int64_t* of_b, std::int64_t count) {
    const std::complex<double> one = 1;
    EXPECT_EQ(
        duoblas_device_zgemm_batched(c_blas, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_TRANS, 1,
                                     1, 1, &one, listed(a, backwards.data()), listed(a, of_b), &one,
                                     listed(c, backwards.data()), count, nullptr),
        DUOBLAS_INVALID_ARGUMENT);
    return std::string(duoblas_last_error());
  };
  EXPECT_EQ(refused(nullptr, 4), "argument 10 (b) has no list of offsets");
  EXPECT_EQ(refused(backwards.data(), -1), "argument 15 (count) is negative");
  duoblas_device_blas_free(c_blas);
}

}  // namespace
}  // namespace duoblas::test
