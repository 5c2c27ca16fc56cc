// How CBLAS passes scalars: real ones by value, complex ones by address.
#pragma once

#include <complex>

namespace duoblas {

/// `Given` is the type that a CBLAS function takes.
template <typename Real>
struct ByValue {
  using Given = Real;
  explicit ByValue(std::complex<double> x) : value(static_cast<Real>(x.real())) {}
  Given given() const { return value; }
  Real value;
};
template <typename Real>
struct ByAddress {
  using Given = const void*;
  explicit ByAddress(std::complex<double> x) : value(x) {}
  Given given() const { return &value; }
  std::complex<Real> value;
};

}  // namespace duoblas
