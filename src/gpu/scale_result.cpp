#include "gpu/scale_result.hpp"

#include <algorithm>

namespace duoblas {
namespace {

template <typename Real>
void multiply(Real& c, Real beta) {
  c *= beta;
}

// Written out, as BLAS defines it: the standard's operator repairs infinities that BLAS keeps.
template <typename Real>
void multiply(std::complex<Real>& c, std::complex<Real> beta) {
  c = {c.real() * beta.real() - c.imag() * beta.imag(),
       c.real() * beta.imag() + c.imag() * beta.real()};
}

template <typename T>
void scale(const GemmProblem& part, T beta) {
  for (std::int64_t row = 0; row < part.m; ++row) {
    T* c = static_cast<T*>(part.c) + row * part.ldc;
    if (part.overwrites_c()) {
      std::fill_n(c, part.n, T(0));
    } else if (beta != T(1)) {
      for (std::int64_t column = 0; column < part.n; ++column) multiply(c[column], beta);
    }
  }
}

}  // namespace

void scale_result(const GemmProblem& part) noexcept {
  switch (part.precision) {
    case Precision::s: return scale(part, static_cast<float>(part.beta.real()));
    case Precision::d: return scale(part, part.beta.real());
    case Precision::c: return scale(part, std::complex<float>(part.beta));
    case Precision::z: return scale(part, part.beta);
  }
}

}  // namespace duoblas
