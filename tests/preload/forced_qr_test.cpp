// QR by its Fortran names, through both sides: LAPACK's contract of lwork, its errors, and cases
// that are passed on.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

extern "C" {
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dorgqr_(const int*, const int*, const int*, double*, const int*, const double*, double*,
             const int*, int*);
void dormqr_(const char*, const char*, const int*, const int*, const int*, const double*,
             const int*, const double*, double*, const int*, double*, const int*, int*, std::size_t,
             std::size_t);
void zgeqrf_(const int*, const int*, std::complex<double>*, const int*, std::complex<double>*,
             std::complex<double>*, const int*, int*);
void zungqr_(const int*, const int*, const int*, std::complex<double>*, const int*,
             const std::complex<double>*, std::complex<double>*, const int*, int*);
void zunmqr_(const char*, const char*, const int*, const int*, const int*,
             const std::complex<double>*, const int*, const std::complex<double>*,
             std::complex<double>*, const int*, std::complex<double>*, const int*, int*,
             std::size_t, std::size_t);
}

namespace duoblas::test {
namespace {

constexpr int m = 320, n = 300, lda = 325;  // the user is told of calls that are so large
constexpr double untouched = -7;

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = uniform(engine);
  return numbers;
}

constexpr std::size_t at(int row, int column) {
  return static_cast<std::size_t>(column) * lda + static_cast<std::size_t>(row);
}

struct ForcedQr : testing::Test {
  static void SetUpTestSuite() {
    ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
    ::setenv("DUOBLAS_SPLIT", "8/16", 1);
    ::setenv("DUOBLAS_VERBOSE", "2", 1);
  }
  /// What is said meanwhile.
  template <typename Call>
  static std::string said_by(Call&& call) {
    ::testing::internal::CaptureStderr();
    call();
    return ::testing::internal::GetCapturedStderr();
  }
  void factorise() {
    const int length = n;
    work.assign(n + 1, untouched);
    said =
        said_by([&] { dgeqrf_(&m, &n, a.data(), &lda, tau.data(), work.data(), &length, &info); });
  }

  const std::vector<double> original = random_numbers(lda * n, 3);
  std::vector<double> a = original, tau = std::vector<double>(n + 1, untouched), work;
  std::string said;
  int info = -99;
};

TEST_F(ForcedQr, TakesTheLeastOfLworkAndSaysTheUsualOne) {
  factorise();
  EXPECT_EQ(info, 0);
  EXPECT_NE(said.find("dgeqrf m=320 n=300: hybrid, gpu "), std::string::npos) << said;
  EXPECT_GE(work[0], n);
  EXPECT_EQ(work.back(), untouched);
  EXPECT_EQ(tau.back(), untouched);
  std::vector<double> q = a;
  const int length = n;
  said = said_by(
      [&] { dorgqr_(&m, &n, &n, q.data(), &lda, tau.data(), work.data(), &length, &info); });
  EXPECT_EQ(info, 0);
  EXPECT_NE(said.find("dorgqr m=320 n=300 k=300: hybrid, gpu "), std::string::npos) << said;
  EXPECT_EQ(work.back(), untouched);
  for (int i = 0; i < m; i += 7)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k <= j; ++k) sum += q[at(i, k)] * a[at(k, j)];
      ASSERT_NEAR(sum, original[at(i, j)], 1e-12);
    }
  for (int j = 0; j < n; ++j)
    for (int i = m; i < lda; ++i) ASSERT_EQ(q[at(i, j)], original[at(i, j)]) << "between columns";
}

TEST_F(ForcedQr, LeavesQuestionsAndErrorsToTheProgramsLapack) {
  const int question = -1, too_short = n - 1, enough = n, wrong = m - 1;
  double answer = 0;
  dgeqrf_(&m, &n, a.data(), &lda, tau.data(), &answer, &question, &info);
  EXPECT_EQ(info, 0);
  EXPECT_GE(answer, n);
  const int large = 4000;  // of calls of this size it is told why they were passed on
  EXPECT_EQ(said_by([&] {
              dgeqrf_(&large, &large, a.data(), &large, tau.data(), &answer, &question, &info);
            }),
            "");
  EXPECT_EQ(info, 0);
  work.assign(n, untouched);
  dgeqrf_(&m, &n, a.data(), &lda, tau.data(), work.data(), &too_short, &info);
  EXPECT_EQ(info, -7);
  dgeqrf_(&m, &n, a.data(), &wrong, tau.data(), work.data(), &enough, &info);
  EXPECT_EQ(info, -4);
  dorgqr_(&m, &n, &m, a.data(), &lda, tau.data(), work.data(), &enough, &info);
  EXPECT_EQ(info, -3);
  EXPECT_EQ(a, original);
  EXPECT_EQ(tau[0], untouched);
}

TEST_F(ForcedQr, MultipliesFromEitherSide) {
  factorise();
  const int sides = 150, length = m;  // passed-on calls are told of from a size on
  work.assign(static_cast<std::size_t>(length), 0);
  const std::vector<double> b = random_numbers(static_cast<std::size_t>(lda) * sides, 5);
  std::vector<double> left = b, right(b.size());
  said = said_by([&] {
    dormqr_("L", "T", &m, &sides, &n, a.data(), &lda, tau.data(), left.data(), &lda, work.data(),
            &length, &info, 1, 1);
  });
  EXPECT_EQ(info, 0);
  EXPECT_NE(said.find("dormqr m=320 n=300 k=150: hybrid, gpu "), std::string::npos) << said;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < sides; ++j) right[static_cast<std::size_t>(i * sides + j)] = b[at(i, j)];
  said = said_by([&] {
    dormqr_("R", "N", &sides, &m, &n, a.data(), &lda, tau.data(), right.data(), &sides, work.data(),
            &length, &info, 1, 1);
  });
  EXPECT_EQ(info, 0);
  EXPECT_NE(said.find("dormqr m=320 n=300 k=150: hybrid, gpu "), std::string::npos) << said;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < sides; ++j)
      ASSERT_NEAR(left[at(i, j)], right[static_cast<std::size_t>(i * sides + j)], 1e-12);
}

// LAPACK's unitary routines.
TEST_F(ForcedQr, HasComplexMatrices) {
  using Complex = std::complex<double>;
  std::vector<Complex> matrix(original.size()), taus(n), memory(n + 1, untouched);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = {original[i], original[original.size() - 1 - i]};
  std::vector<Complex> q = matrix, product = matrix;
  const int length = n, sides = n;
  said = said_by([&] {
    zgeqrf_(&m, &n, q.data(), &lda, taus.data(), memory.data(), &length, &info);
    zunmqr_("L", "C", &m, &sides, &n, q.data(), &lda, taus.data(), product.data(), &lda,
            memory.data(), &length, &info, 1, 1);
  });
  EXPECT_EQ(info, 0);
  EXPECT_NE(said.find("zgeqrf m=320 n=300: hybrid, gpu "), std::string::npos) << said;
  EXPECT_NE(said.find("zunmqr m=320 n=300 k=300: hybrid, gpu "), std::string::npos) << said;
  EXPECT_GE(memory[0].real(), n);
  EXPECT_EQ(memory[0].imag(), 0);
  EXPECT_EQ(memory.back(), untouched);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      ASSERT_LT(std::abs(product[at(i, j)] - (i <= j ? q[at(i, j)] : 0)), 1e-12) << i << ' ' << j;
  zunmqr_("L", "T", &m, &sides, &n, q.data(), &lda, taus.data(), product.data(), &lda,
          memory.data(), &length, &info, 1, 1);
  EXPECT_EQ(info, -2);
  said = said_by(
      [&] { zungqr_(&m, &n, &n, q.data(), &lda, taus.data(), memory.data(), &length, &info); });
  EXPECT_EQ(info, 0);
  EXPECT_NE(said.find("zungqr m=320 n=300 k=300: hybrid, gpu "), std::string::npos) << said;
  Complex sum = 0;
  for (int i = 0; i < m; ++i) sum += std::conj(q[at(i, 7)]) * matrix[at(i, 9)];
  EXPECT_LT(std::abs(sum - product[at(7, 9)]), 1e-12);
}

}  // namespace
}  // namespace duoblas::test
