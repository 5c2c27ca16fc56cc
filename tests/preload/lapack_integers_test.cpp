// getrf under its plain name where the next symbol has 64-bit integers: pivots are as wide as
// the program's, and where nobody knows how wide they are, the engine is not asked.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

extern "C" {
void dgetrf_(const std::int64_t*, const std::int64_t*, double*, const std::int64_t*, std::int64_t*,
             std::int64_t*);
void sgetrf_(const std::int64_t*, const std::int64_t*, float*, const std::int64_t*, std::int64_t*,
             std::int64_t*);
int wide_lapack_calls(void);
}

namespace duoblas::test {
namespace {

constexpr std::int64_t n = 300;  // the user is told of calls that are so large

template <typename T>
std::vector<T> random_matrix() {
  std::mt19937 engine(3);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> matrix(static_cast<std::size_t>(n * n));
  for (T& element : matrix) element = uniform(engine);
  return matrix;
}

// Both sides at every size; a line for each call.
struct WideLapack : testing::Test {
  static void SetUpTestSuite() {
    ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
    ::setenv("DUOBLAS_SPLIT", "8/16", 1);
    ::setenv("DUOBLAS_VERBOSE", "2", 1);
  }
};

TEST_F(WideLapack, GetsPivotsOf64BitsFromBothSides) {
  std::vector<double> ours = random_matrix<double>(), theirs = ours;
  std::vector<std::int64_t> pivots(n + 1, -7), expected(n, -7);
  std::int64_t info = -7;
  ::testing::internal::CaptureStderr();
  dgetrf_(&n, &n, ours.data(), &n, pivots.data(), &info);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("dgetrf m=300 n=300: hybrid, gpu "), std::string::npos) << said;
  EXPECT_EQ(wide_lapack_calls(), 1) << "it was asked once, and did no call";
  EXPECT_EQ(info, 0);
  EXPECT_EQ(pivots.back(), -7);
  // Unblocked, here: pivots are those of any order of operations.
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t largest = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(theirs[i + k * n]) > std::abs(theirs[largest + k * n])) largest = i;
    expected[k] = static_cast<std::int64_t>(largest) + 1;
    for (std::size_t j = 0; j < n; ++j) std::swap(theirs[k + j * n], theirs[largest + j * n]);
    for (std::size_t i = k + 1; i < n; ++i) {
      theirs[i + k * n] /= theirs[k + k * n];
      for (std::size_t j = k + 1; j < n; ++j)
        theirs[i + j * n] -= theirs[i + k * n] * theirs[k + j * n];
    }
  }
  for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(pivots[k], expected[k]) << k;
  for (std::size_t i = 0; i < theirs.size(); ++i) ASSERT_NEAR(ours[i], theirs[i], 1e-9);
}

TEST_F(WideLapack, ThatShowsNoIntegersIsNotReplaced) {
  std::vector<float> matrix = random_matrix<float>();
  const std::vector<float> before = matrix;
  std::vector<std::int64_t> pivots(n, -7);
  std::int64_t info = -7;
  const int calls = wide_lapack_calls();
  ::testing::internal::CaptureStderr();
  sgetrf_(&n, &n, matrix.data(), &n, pivots.data(), &info);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("did not show whether its integers have 32 bits or 64"), std::string::npos)
      << said;
  EXPECT_EQ(wide_lapack_calls() - calls, 2) << "the question, and the call itself";
  EXPECT_EQ(matrix, before);
  EXPECT_EQ(info, -7);
}

}  // namespace
}  // namespace duoblas::test
