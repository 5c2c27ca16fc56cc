#include "soak/planes.hpp"

#include <algorithm>
#include <cmath>

namespace duoblas::soak {
namespace {

// One function per instruction set, chosen when the program starts. Sanitizers are not ready then.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DUOBLAS_SOAK_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define DUOBLAS_SOAK_CLONES
#endif

constexpr std::int64_t block_columns = 256;

// c += sign a b. Four rows at a time, so that b is read from the cache once for four sums.
DUOBLAS_SOAK_CLONES
void add_real_product(const double* __restrict a, const double* __restrict b, double sign,
                      double* __restrict c, std::int64_t m, std::int64_t n, std::int64_t k) {
  for (std::int64_t first = 0; first < n; first += block_columns) {
    const std::int64_t width = std::min(block_columns, n - first);
    std::int64_t i = 0;
    for (; i + 4 <= m; i += 4) {
      double* const c0 = c + i * n + first;
      double* const c1 = c0 + n;
      double* const c2 = c1 + n;
      double* const c3 = c2 + n;
      for (std::int64_t p = 0; p < k; ++p) {
        const double a0 = sign * a[i * k + p], a1 = sign * a[(i + 1) * k + p];
        const double a2 = sign * a[(i + 2) * k + p], a3 = sign * a[(i + 3) * k + p];
        const double* const row = b + p * n + first;
        // The four rows lie apart.
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (std::int64_t j = 0; j < width; ++j) {
          c0[j] += a0 * row[j];
          c1[j] += a1 * row[j];
          c2[j] += a2 * row[j];
          c3[j] += a3 * row[j];
        }
      }
    }
    for (; i < m; ++i)
      for (std::int64_t p = 0; p < k; ++p) {
        const double factor = sign * a[i * k + p];
        const double* const row = b + p * n + first;
        double* const sum = c + i * n + first;
        for (std::int64_t j = 0; j < width; ++j) sum[j] += factor * row[j];
      }
  }
}

}  // namespace

Planes applied(Op op, const Planes& x) {
  if (op == Op::none) return x;
  Planes y(x.cols, x.rows, x.is_complex());
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j) {
      y.re[y.at(j, i)] = x.re[x.at(i, j)];
      if (x.is_complex())
        y.im[y.at(j, i)] = op == Op::conj_transpose ? -x.im[x.at(i, j)] : x.im[x.at(i, j)];
    }
  return y;
}

Planes product(const Planes& a, const Planes& b) {
  Planes c(a.rows, b.cols, a.is_complex());
  const auto add = [&](const std::vector<double>& x, const std::vector<double>& y, double sign,
                       std::vector<double>& sum) {
    add_real_product(x.data(), y.data(), sign, sum.data(), a.rows, b.cols, a.cols);
  };
  add(a.re, b.re, 1, c.re);
  if (!c.is_complex()) return c;
  add(a.im, b.im, -1, c.re);
  add(a.re, b.im, 1, c.im);
  add(a.im, b.re, 1, c.im);
  return c;
}

void add_scaled(std::complex<double> factor, const Planes& x, Planes& sum) {
  const double re = factor.real(), im = factor.imag();
  for (std::size_t i = 0; i < x.re.size(); ++i) {
    if (x.is_complex()) {
      sum.re[i] += re * x.re[i] - im * x.im[i];
      sum.im[i] += re * x.im[i] + im * x.re[i];
    } else {
      sum.re[i] += re * x.re[i];
    }
  }
}

std::vector<double> row_norms(const Planes& x) {
  std::vector<double> norms(static_cast<std::size_t>(x.rows));
  for (std::int64_t i = 0; i < x.rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < x.cols; ++j) sum += std::norm(x.value(i, j));
    norms[static_cast<std::size_t>(i)] = std::sqrt(sum);
  }
  return norms;
}

std::vector<double> column_norms(const Planes& x) {
  std::vector<double> norms(static_cast<std::size_t>(x.cols));
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j)
      norms[static_cast<std::size_t>(j)] += std::norm(x.value(i, j));
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

}  // namespace duoblas::soak
