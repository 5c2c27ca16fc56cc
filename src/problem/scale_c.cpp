#include "problem/scale_c.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>

namespace duoblas {
namespace {

// Complex values as pairs of reals, written out as BLAS defines the product: std::complex's own
// repairs infinities that BLAS keeps.
template <typename Real>
void scale_rows(const GemmProblem& p) {
  const bool complex = is_complex(p.precision);
  const std::int64_t width = complex ? 2 : 1;
  const auto re = static_cast<Real>(p.beta.real());
  const auto im = static_cast<Real>(p.beta.imag());
  for (std::int64_t i = 0; i < p.m; ++i) {
    Real* row = static_cast<Real*>(p.c) + i * p.ldc * width;
    if (p.overwrites_c()) {
      std::fill_n(row, p.n * width, Real(0));
    } else if (!complex) {
      for (std::int64_t j = 0; j < p.n; ++j) row[j] *= re;
    } else {
      for (std::int64_t j = 0; j < p.n; ++j) {
        const Real x = row[2 * j];
        const Real y = row[2 * j + 1];
        row[2 * j] = re * x - im * y;
        row[2 * j + 1] = re * y + im * x;
      }
    }
  }
}

}  // namespace

void scale_c(const GemmProblem& p) noexcept {
  if (p.beta == std::complex<double>(1.0)) return;
  if (is_double(p.precision)) return scale_rows<double>(p);
  scale_rows<float>(p);
}

}  // namespace duoblas
