// Sums of products of doubles as if in twice their precision.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/test_matrix.hpp"

namespace duoblas::test {

/// No processor of 64-bit Arm computes with its long double (113 bits): two doubles take a tenth of
/// the time.
template <typename T>
inline constexpr bool sums_in_two_doubles =
    std::is_same_v<Real<T>, double>&& std::numeric_limits<long double>::digits > 64;

/// A sum, and what rounding lost of it (Dot2 of Ogita, Rump and Oishi, Accurate sum and dot
/// product).
class TwoDoubles {
 public:
  void add(double x, double y) {
    const double product = x * y;
    const double next = sum_ + product;
    const double taken = next - sum_;
    lost_ += std::fma(x, y, -product) + ((sum_ - (next - taken)) + (product - taken));
    sum_ = next;
  }
  /// Of what is not finite, nothing is lost.
  long double value() const {
    return std::isfinite(sum_) ? sum_ + static_cast<long double>(lost_) : sum_;
  }

 private:
  double sum_ = 0, lost_ = 0;
};

/// The same of complex numbers.
class FourDoubles {
 public:
  void add(const std::complex<double>& x, const std::complex<double>& y) {
    re_.add(x.real(), y.real());
    re_.add(-x.imag(), y.imag());
    im_.add(x.real(), y.imag());
    im_.add(x.imag(), y.real());
  }
  std::complex<long double> value() const { return {re_.value(), im_.value()}; }

 private:
  TwoDoubles re_, im_;
};

/// c += a b, row-major, of m x k and k x n elements, each the value of a T.
template <typename T, typename Wide>
void add_product_in_two_doubles(const std::vector<Wide>& a, const std::vector<Wide>& b,
                                std::size_t m, std::size_t n, std::size_t k, std::vector<Wide>& c) {
  const auto narrow = [](const std::vector<Wide>& wide) {
    std::vector<T> values(wide.size());
    for (std::size_t at = 0; at < wide.size(); ++at) values[at] = static_cast<T>(wide[at]);
    return values;
  };
  const std::vector<T> x = narrow(a), y = narrow(b);
  using Sum = std::conditional_t<is_complex_type<T>, FourDoubles, TwoDoubles>;
  for (std::size_t i = 0; i < m; ++i) {
    std::vector<Sum> row(n);
    for (std::size_t p = 0; p < k; ++p) {
      const T of_a = x[i * k + p];
      for (std::size_t j = 0; j < n; ++j) row[j].add(of_a, y[p * n + j]);
    }
    for (std::size_t j = 0; j < n; ++j) c[i * n + j] += row[j].value();
  }
}

}  // namespace duoblas::test
