// Numbers as the checks compute with them, in double precision.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

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

inline double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// |real part| + |imaginary part|.
inline double one_norm(std::complex<double> value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

}  // namespace duoblas
