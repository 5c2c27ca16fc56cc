// Doubles of a device that has none, through the drop-in with both sides forced to work: products,
// level 3 and LAPACK by their Fortran names. What the device multiplies, it multiplies by integers.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

using Complex = std::complex<double>;

extern "C" {
#define DECLARE(letter, type, real)                                                              \
  void letter##gemm_(const char*, const char*, const int*, const int*, const int*, const type*,  \
                     const type*, const int*, const type*, const int*, const type*, type*,       \
                     const int*);                                                                \
  void letter##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, \
                     const type*, const type*, const int*, type*, const int*);                   \
  void letter##getrf_(const int*, const int*, type*, const int*, int*, int*);                    \
  void letter##potrf_(const char*, const int*, type*, const int*, int*, std::size_t);            \
  void letter##geqrf_(const int*, const int*, type*, const int*, type*, type*, const int*, int*);
DECLARE(d, double, double)
DECLARE(z, Complex, double)
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, const double*, double*, const int*);
void zherk_(const char*, const char*, const int*, const int*, const double*, const Complex*,
            const int*, const double*, Complex*, const int*);
}

namespace duoblas::test {
namespace {

template <typename T>
struct Routines;
template <>
struct Routines<double> {
  static constexpr char letter = 'd';
  static constexpr auto gemm = dgemm_;
  static constexpr auto rank_k = dsyrk_;
  static constexpr auto trsm = dtrsm_;
  static constexpr auto getrf = dgetrf_;
  static constexpr auto potrf = dpotrf_;
  static constexpr auto geqrf = dgeqrf_;
};
template <>
struct Routines<Complex> {
  static constexpr char letter = 'z';
  static constexpr auto gemm = zgemm_;
  static constexpr auto rank_k = zherk_;
  static constexpr auto trsm = ztrsm_;
  static constexpr auto getrf = zgetrf_;
  static constexpr auto potrf = zpotrf_;
  static constexpr auto geqrf = zgeqrf_;
};

// Column-major.
template <typename T>
struct Matrix {
  explicit Matrix(int of_rows, int of_columns)
      : rows(of_rows), columns(of_columns), values(static_cast<std::size_t>(rows * columns)) {}
  T& at(int row, int column) { return values[static_cast<std::size_t>(column * rows + row)]; }
  T* data() { return values.data(); }
  int rows, columns;
  std::vector<T> values;
};

double conj(double x) {
  return x;
}
Complex conj(const Complex& x) {
  return std::conj(x);
}

template <typename T>
class DoublesByIntegers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
    ::setenv("DUOBLAS_SPLIT", "8/16", 1);
    ::setenv("DUOBLAS_VERBOSE", "2", 1);
    ::setenv("DUOBLAS_FP64", "integers", 1);  // what `auto` means where there are no doubles
  }
  Matrix<T> drawn(int rows, int columns) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    Matrix<T> x(rows, columns);
    for (T& value : x.values) {
      value = uniform(engine);
      if constexpr (!std::is_same_v<T, double>) value += Complex(0, uniform(engine));
    }
    return x;
  }
  /// Runs the call: the device has a part of it, and does not fail.
  template <typename Call>
  static void on_both_sides(const std::string& name, Call&& call) {
    ::testing::internal::CaptureStderr();
    call();
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find(std::string(1, Routines<T>::letter) + name + " "), std::string::npos)
        << said;
    EXPECT_NE(said.find("hybrid, gpu "), std::string::npos) << said;
    EXPECT_EQ(said.find("the CPU did"), std::string::npos) << said;
  }
  /// |x - y| in the lower triangle, or everywhere.
  static void expect_near(Matrix<T>& x, Matrix<T>& y, double most, bool lower = false) {
    for (int j = 0; j < x.columns; ++j)
      for (int i = lower ? j : 0; i < x.rows; ++i)
        ASSERT_LE(std::abs(x.at(i, j) - y.at(i, j)), most) << i << ' ' << j;
  }
  static Matrix<T> product(Matrix<T>& a, Matrix<T>& b) {
    Matrix<T> c(a.rows, b.columns);
    for (int j = 0; j < b.columns; ++j)
      for (int h = 0; h < a.columns; ++h)
        for (int i = 0; i < a.rows; ++i) c.at(i, j) += a.at(i, h) * b.at(h, j);
    return c;
  }
  static Matrix<T> turned(Matrix<T>& a) {
    Matrix<T> t(a.columns, a.rows);
    for (int j = 0; j < a.columns; ++j)
      for (int i = 0; i < a.rows; ++i) t.at(j, i) = conj(a.at(i, j));
    return t;
  }

  std::mt19937 engine{7};
  const T one = 1, minus_one = -1;
  int info = -99;
};

using Types = testing::Types<double, Complex>;
struct TypeNames {
  template <typename T>
  static std::string GetName(int) {
    return std::string(1, Routines<T>::letter);
  }
};
TYPED_TEST_SUITE(DoublesByIntegers, Types, TypeNames);

TYPED_TEST(DoublesByIntegers, MultiplyRightOnBothSides) {
  using T = TypeParam;
  const int m = 77, n = 61, k = 83;
  Matrix<T> a = this->drawn(k, m), b = this->drawn(k, n), c = this->drawn(m, n);
  Matrix<T> of_a = this->turned(a), want = this->product(of_a, b);
  for (std::size_t i = 0; i < c.values.size(); ++i) want.values[i] -= c.values[i];
  this->on_both_sides("gemm", [&] {
    Routines<T>::gemm("C", "N", &m, &n, &k, &this->one, a.data(), &k, b.data(), &k,
                      &this->minus_one, c.data(), &m);
  });
  this->expect_near(c, want, 1e-12);
}

TYPED_TEST(DoublesByIntegers, UpdateATriangleRightOnBothSides) {
  using T = TypeParam;
  const int n = 131, k = 47;
  const double alpha = 1, beta = 0;
  Matrix<T> a = this->drawn(n, k), c(n, n);
  Matrix<T> of_a = this->turned(a), want = this->product(a, of_a);
  this->on_both_sides(std::is_same_v<T, double> ? "syrk" : "herk", [&] {
    Routines<T>::rank_k("L", "N", &n, &k, &alpha, a.data(), &n, &beta, c.data(), &n);
  });
  this->expect_near(c, want, 1e-12, true);
}

TYPED_TEST(DoublesByIntegers, SolveWithATriangleRightOnBothSides) {
  using T = TypeParam;
  const int n = 130, sides = 45;
  Matrix<T> a = this->drawn(n, n), b = this->drawn(n, sides);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i)
      if (i == j)
        a.at(i, j) = 20;
      else
        a.at(i, j) = 0;
  Matrix<T> x = b;
  this->on_both_sides("trsm", [&] {
    Routines<T>::trsm("L", "L", "N", "N", &n, &sides, &this->one, a.data(), &n, x.data(), &n);
  });
  Matrix<T> found = this->product(a, x);
  this->expect_near(found, b, 1e-12);
}

TYPED_TEST(DoublesByIntegers, FactoriseByLuRightOnBothSides) {
  using T = TypeParam;
  const int n = 257;
  Matrix<T> a = this->drawn(n, n);
  for (int i = 0; i < n; ++i) a.at(i, i) += 30;  // no rows are exchanged
  Matrix<T> f = a;
  std::vector<int> pivots(n);
  this->on_both_sides(
      "getrf", [&] { Routines<T>::getrf(&n, &n, f.data(), &n, pivots.data(), &this->info); });
  EXPECT_EQ(this->info, 0);
  Matrix<T> l = f, u = f;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (i > j)
        u.at(i, j) = 0;
      else
        l.at(i, j) = i == j;
  Matrix<T> found = this->product(l, u);
  this->expect_near(found, a, 1e-11);
}

TYPED_TEST(DoublesByIntegers, FactoriseByCholeskyRightOnBothSides) {
  using T = TypeParam;
  const int n = 259;
  Matrix<T> x = this->drawn(n, n);
  Matrix<T> of_x = this->turned(x), a = this->product(x, of_x);
  for (int i = 0; i < n; ++i) a.at(i, i) += 100;
  Matrix<T> l = a;
  this->on_both_sides("potrf", [&] { Routines<T>::potrf("L", &n, l.data(), &n, &this->info, 1); });
  EXPECT_EQ(this->info, 0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) l.at(i, j) = 0;
  Matrix<T> of_l = this->turned(l), found = this->product(l, of_l);
  this->expect_near(found, a, 1e-10, true);
}

// R^H R = A^H A.
TYPED_TEST(DoublesByIntegers, FactoriseByQrRightOnBothSides) {
  using T = TypeParam;
  const int m = 290, n = 253, length = 64 * n;
  Matrix<T> a = this->drawn(m, n), f = a;
  std::vector<T> tau(n), work(static_cast<std::size_t>(length));
  this->on_both_sides("geqrf", [&] {
    Routines<T>::geqrf(&m, &n, f.data(), &m, tau.data(), work.data(), &length, &this->info);
  });
  EXPECT_EQ(this->info, 0);
  Matrix<T> r(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) r.at(i, j) = f.at(i, j);
  Matrix<T> of_r = this->turned(r), of_a = this->turned(a);
  Matrix<T> found = this->product(of_r, r), want = this->product(of_a, a);
  this->expect_near(found, want, 1e-10);
}

}  // namespace
}  // namespace duoblas::test
