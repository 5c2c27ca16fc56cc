// Numbers as the checks compute with them, in double precision.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "problem/precision.hpp"

namespace duoblas {

/// The place of a row's or column's number in a vector.
constexpr std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

inline bool is_finite(double value) {
  return std::isfinite(value);
}
inline bool is_finite(std::complex<double> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

/// Calls body(R()) with the type of a precision's reals.
template <typename Body>
decltype(auto) with_real_type(Precision precision, Body&& body) {
  if (is_double(precision)) return body(double());
  return body(float());
}

inline double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// A random number between 1 and 2. Two equal errors do not cancel in a sum with such weights, as
/// they would in every second one with signs alone.
struct RandomNumber {
  explicit RandomNumber(std::mt19937_64& engine) : bits(engine()) {
    constexpr int fraction_bits = 24;
    constexpr double unit = 1.0 / (1 << fraction_bits);
    size = 1 + unit * static_cast<double>(bits >> (64 - fraction_bits));
  }
  /// With a sign of its own for each of its last bits.
  double with_sign(double value, int bit = 0) const { return bits >> bit & 1 ? -value : value; }

  std::uint64_t bits;
  double size;
};

/// Written out as BLAS has it: std::complex's own product repairs infinities.
inline std::complex<double> multiplied(std::complex<double> x, std::complex<double> y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

/// |real part| + |imaginary part|.
inline double one_norm(std::complex<double> value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

}  // namespace duoblas
