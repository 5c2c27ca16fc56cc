// Inverses by their Fortran names, through both sides: LAPACK's contract of lwork and its errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgetri_(const int*, double*, const int*, const int*, double*, const int*, int*);
void zgetri_(const int*, std::complex<double>*, const int*, const int*, std::complex<double>*,
             const int*, int*);
}

namespace duoblas::test {
namespace {

constexpr int n = 300, lda = 310;  // the user is told of calls that are so large
constexpr double untouched = -7;

constexpr std::size_t at(int row, int column) {
  return static_cast<std::size_t>(column) * lda + static_cast<std::size_t>(row);
}

/// 2 on the diagonal, -1 beside it: its inverse is known.
std::vector<double> second_differences() {
  std::vector<double> a(lda * n, untouched);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) a[at(i, j)] = i == j ? 2 : std::abs(i - j) == 1 ? -1 : 0;
  return a;
}
double inverse_at(int i, int j) {
  return (std::min(i, j) + 1.0) * (n - std::max(i, j)) / (n + 1.0);
}

struct ForcedInverse : testing::Test {
  static void SetUpTestSuite() {
    ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
    ::setenv("DUOBLAS_SPLIT", "8/16", 1);
    ::setenv("DUOBLAS_VERBOSE", "2", 1);
  }
  void SetUp() override { dgetrf_(&n, &n, a.data(), &lda, pivots.data(), &info); }
  /// What is said meanwhile.
  template <typename Call>
  static std::string said_by(Call&& call) {
    ::testing::internal::CaptureStderr();
    call();
    return ::testing::internal::GetCapturedStderr();
  }
  std::string invert(int length) {
    return said_by(
        [&] { dgetri_(&n, a.data(), &lda, pivots.data(), work.data(), &length, &info); });
  }

  std::vector<double> a = second_differences(), work = std::vector<double>(n + 1, untouched);
  std::vector<int> pivots = std::vector<int>(n);
  int info = -99;
};

TEST_F(ForcedInverse, TakesTheLeastOfLworkAndSaysTheUsualOne) {
  const std::string said = invert(n);
  EXPECT_EQ(info, 0);
  EXPECT_NE(said.find("dgetri n=300: hybrid, gpu "), std::string::npos) << said;
  EXPECT_GE(work[0], n);
  EXPECT_EQ(work.back(), untouched);
  for (int j = 0; j < n; j += 7)
    for (int i = 0; i < n; i += 3) ASSERT_NEAR(a[at(i, j)], inverse_at(i, j), 1e-9);
  EXPECT_EQ(a[at(n, 5)], untouched);
}

TEST_F(ForcedInverse, LeavesQuestionsAndErrorsToTheProgramsLapack) {
  const std::vector<double> before = a;
  EXPECT_EQ(invert(-1).find("dgetri"), std::string::npos) << "a question is no call";
  EXPECT_EQ(info, 0);
  EXPECT_GE(work[0], n);
  invert(n - 1);
  EXPECT_EQ(info, -6);
  EXPECT_EQ(a, before);
}

TEST_F(ForcedInverse, OfASingularMatrixSaysWhereAndWritesNothing) {
  a[at(200, 200)] = 0;
  const std::vector<double> before = a;
  invert(n);
  EXPECT_EQ(info, 201);
  EXPECT_EQ(a, before);
}

TEST_F(ForcedInverse, OfComplexNumbersSaysTheUsualLwork) {
  std::vector<std::complex<double>> z(lda * n), room(n, {untouched, untouched});
  std::vector<int> stay(n);
  for (int i = 0; i < n; ++i) {
    z[at(i, i)] = {0, 2};
    stay[static_cast<std::size_t>(i)] = i + 1;
  }
  zgetri_(&n, z.data(), &lda, stay.data(), room.data(), &n, &info);
  EXPECT_EQ(info, 0);
  EXPECT_GE(room[0].real(), n);
  EXPECT_EQ(room[0].imag(), 0);
  EXPECT_EQ(z[at(150, 150)], std::complex<double>(0, -0.5));
}

}  // namespace
}  // namespace duoblas::test
