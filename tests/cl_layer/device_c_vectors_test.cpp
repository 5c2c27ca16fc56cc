// The C functions of routines that memory bounds, in a program's own buffers: of small whole
// numbers, whose results are exact.
#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <duoblas/opencl.h>

#include "cl_layer/device_blas_case.hpp"

namespace duoblas::test {
namespace {

using c = std::complex<float>;
using z = std::complex<double>;

constexpr std::int64_t m = 2, n = 3;

struct DeviceVectorsInC : DeviceBlasTest {
  duoblas_device_blas* made = nullptr;

  void SetUp() override {
    DeviceBlasTest::SetUp();
    ASSERT_EQ(duoblas_device_blas_create(raw(queue), &made), DUOBLAS_OK) << duoblas_last_error();
  }
  void TearDown() override {
    duoblas_device_blas_free(made);
    DeviceBlasTest::TearDown();
  }

  template <typename T>
  cl::Buffer buffer_of(const std::vector<T>& numbers) {
    return upload(numbers.data(), numbers.size(), 0);
  }
  template <typename T>
  std::vector<T> numbers_in(const cl::Buffer& buffer, std::size_t count) {
    std::vector<T> numbers(count);
    download(buffer, numbers.data(), count, 0);
    return numbers;
  }
};

template <typename T>
T unit() {
  if constexpr (std::is_floating_point_v<T>)
    return 1;
  else
    return {0, 1};
}

template <typename T>
auto passed(const T& scalar) {
  if constexpr (std::is_floating_point_v<T>)
    return scalar;
  else
    return static_cast<const void*>(&scalar);
}

template <typename T>
T conjugated(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

// Row-major, 2 x 3; complex ones have imaginary parts in `along`.
template <typename T>
struct Numbers {
  std::vector<T> a{1, 2, 3, 4, 5, 6}, down{10, 20},
      along{unit<T>(), -unit<T>(), static_cast<T>(2) * unit<T>()};
};

constexpr duoblas_layout rows = DUOBLAS_ROW_MAJOR;

template <typename T, typename Gemv>
void expect_gemv(DeviceVectorsInC& test, Gemv gemv) {
  const Numbers<T> in;
  const cl::Buffer a = test.buffer_of(in.a), x = test.buffer_of(in.along),
                   y = test.buffer_of(in.down);
  const T alpha = 2, beta = 3;
  ASSERT_EQ(gemv(test.made, rows, DUOBLAS_NO_TRANS, m, n, passed(alpha), {test.raw(a), 0, n},
                 {test.raw(x), 0, 1}, passed(beta), {test.raw(y), 0, 1}, nullptr),
            DUOBLAS_OK)
      << duoblas_last_error();
  const T one = unit<T>(), five = 5, eleven = 11;
  EXPECT_EQ(test.numbers_in<T>(y, 2), (std::vector<T>{alpha * five * one + static_cast<T>(30),
                                                      alpha * eleven * one + static_cast<T>(60)}));
}

template <typename T, typename Ger>
void expect_ger(DeviceVectorsInC& test, Ger ger, bool conjugates) {
  const Numbers<T> in;
  const cl::Buffer a = test.buffer_of(in.a), x = test.buffer_of(in.down),
                   y = test.buffer_of(in.along);
  const T alpha = 2;
  _cl_event* done = nullptr;
  const duoblas_device_events events = {0, nullptr, &done};
  ASSERT_EQ(ger(test.made, rows, m, n, passed(alpha), {test.raw(x), 0, 1}, {test.raw(y), 0, 1},
                {test.raw(a), 0, n}, &events),
            DUOBLAS_OK)
      << duoblas_last_error();
  test.queue.wait(cl::Event(done));
  std::vector<T> expected = in.a;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      expected[3 * i + j] +=
          alpha * in.down[i] * (conjugates ? conjugated(in.along[j]) : in.along[j]);
  EXPECT_EQ(test.numbers_in<T>(a, 6), expected);
}

template <typename T, typename Axpy>
void expect_axpy(DeviceVectorsInC& test, Axpy axpy) {
  const Numbers<T> in;
  const cl::Buffer x = test.buffer_of(in.along), y = test.buffer_of(in.a);
  const T alpha = 2;
  ASSERT_EQ(axpy(test.made, n, passed(alpha), {test.raw(x), 0, -1}, {test.raw(y), 1, 2}, nullptr),
            DUOBLAS_OK)
      << duoblas_last_error();
  std::vector<T> expected = in.a;
  for (std::size_t i = 0; i < 3; ++i) expected[1 + 2 * i] += alpha * in.along[2 - i];
  EXPECT_EQ(test.numbers_in<T>(y, 6), expected);
}

template <typename T, typename Copy>
void expect_omatcopy(DeviceVectorsInC& test, Copy copy) {
  const Numbers<T> in;
  const cl::Buffer a = test.buffer_of(in.a), b = test.buffer_of(std::vector<T>(6));
  const T alpha = 2;
  ASSERT_EQ(copy(test.made, rows, DUOBLAS_TRANS, m, n, passed(alpha), {test.raw(a), 0, n},
                 {test.raw(b), 0, m}, nullptr),
            DUOBLAS_OK)
      << duoblas_last_error();
  EXPECT_EQ(test.numbers_in<T>(b, 6), (std::vector<T>{2, 8, 4, 10, 6, 12}));
}

TEST_F(DeviceVectorsInC, GemvIsRightInEveryType) {
  expect_gemv<float>(*this, duoblas_device_sgemv);
  expect_gemv<double>(*this, duoblas_device_dgemv);
  expect_gemv<c>(*this, duoblas_device_cgemv);
  expect_gemv<z>(*this, duoblas_device_zgemv);
}

TEST_F(DeviceVectorsInC, GerIsRightInEveryType) {
  expect_ger<float>(*this, duoblas_device_sger, false);
  expect_ger<double>(*this, duoblas_device_dger, false);
  expect_ger<c>(*this, duoblas_device_cgeru, false);
  expect_ger<z>(*this, duoblas_device_zgeru, false);
  expect_ger<c>(*this, duoblas_device_cgerc, true);
  expect_ger<z>(*this, duoblas_device_zgerc, true);
}

TEST_F(DeviceVectorsInC, AxpyIsRightInEveryType) {
  expect_axpy<float>(*this, duoblas_device_saxpy);
  expect_axpy<double>(*this, duoblas_device_daxpy);
  expect_axpy<c>(*this, duoblas_device_caxpy);
  expect_axpy<z>(*this, duoblas_device_zaxpy);
}

TEST_F(DeviceVectorsInC, OmatcopyIsRightInEveryType) {
  expect_omatcopy<float>(*this, duoblas_device_somatcopy);
  expect_omatcopy<double>(*this, duoblas_device_domatcopy);
  expect_omatcopy<c>(*this, duoblas_device_comatcopy);
  expect_omatcopy<z>(*this, duoblas_device_zomatcopy);
}

TEST_F(DeviceVectorsInC, SayWhatIsIllegal) {
  const Numbers<z> in;
  const cl::Buffer a = buffer_of(in.a), x = buffer_of(in.along), y = buffer_of(in.down);
  const duoblas_device_matrix of_a = {raw(a), 0, n};
  const duoblas_device_vector of_x = {raw(x), 0, 1}, of_y = {raw(y), 0, 1};
  const z one = 1;
  EXPECT_EQ(duoblas_device_zgemv(made, rows, DUOBLAS_NO_TRANS, m, n, nullptr, of_a, of_x, &one,
                                 of_y, nullptr),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 5 (alpha) is a null pointer");
  const duoblas_device_events nameless = {1, nullptr, nullptr};
  EXPECT_EQ(duoblas_device_zgeru(made, rows, m, n, &one, of_y, of_x, of_a, &nameless),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 11 (events) counts events, but names none");
  EXPECT_EQ(duoblas_device_zaxpy(made, n, &one, of_x, of_y, nullptr), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 5 (y) reaches beyond the end of its buffer");
  EXPECT_EQ(duoblas_device_zaxpy(made, -1, &one, of_x, of_y, nullptr), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_EQ(duoblas_device_zomatcopy(nullptr, rows, DUOBLAS_TRANS, m, n, &one, of_a, of_a, nullptr),
            DUOBLAS_DEVICE_ERROR);
  EXPECT_EQ(numbers_in<z>(y, 2), in.down);
  EXPECT_EQ(numbers_in<z>(a, 6), in.a);
}

}  // namespace
}  // namespace duoblas::test
