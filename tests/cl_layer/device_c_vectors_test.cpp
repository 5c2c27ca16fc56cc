// The C functions of gemv in a program's own buffers: of small whole numbers, whose results are
// exact.
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

TEST_F(DeviceVectorsInC, GemvIsRightInEveryType) {
  expect_gemv<float>(*this, duoblas_device_sgemv);
  expect_gemv<double>(*this, duoblas_device_dgemv);
  expect_gemv<c>(*this, duoblas_device_cgemv);
  expect_gemv<z>(*this, duoblas_device_zgemv);
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
  EXPECT_EQ(duoblas_device_zgemv(made, rows, DUOBLAS_NO_TRANS, m, n, &one, of_a, of_x, &one, of_y,
                                 &nameless),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 13 (events) counts events, but names none");
  const duoblas_device_vector beyond = {raw(y), 1, 1};
  EXPECT_EQ(duoblas_device_zgemv(made, rows, DUOBLAS_NO_TRANS, m, n, &one, of_a, of_x, &one, beyond,
                                 nullptr),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 11 (y) reaches beyond the end of its buffer");
  EXPECT_EQ(duoblas_device_zgemv(nullptr, rows, DUOBLAS_NO_TRANS, m, n, &one, of_a, of_x, &one,
                                 of_y, nullptr),
            DUOBLAS_DEVICE_ERROR);
  EXPECT_EQ(numbers_in<z>(y, 2), in.down);
  EXPECT_EQ(numbers_in<z>(a, 6), in.a);
}

}  // namespace
}  // namespace duoblas::test
