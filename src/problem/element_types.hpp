// From a precision, known while the program runs, to the C++ type of its elements.
#pragma once

#include <cmath>
#include <complex>
#include <type_traits>

#include "problem/precision.hpp"

namespace duoblas {

/// What a type's real and imaginary parts are.
template <typename T>
using PartOf = decltype(std::abs(T()));

template <typename T>
inline constexpr bool is_real = std::is_floating_point_v<T>;
template <typename T>
T conjugate(T value) {
  if constexpr (!is_real<T>) return std::conj(value);
  return value;
}

/// Calls body(T()) with the precision's type, and returns its result, whose type is the same for
/// all.
template <typename Body>
decltype(auto) with_element_type(Precision precision, Body&& body) {
  switch (precision) {
    case Precision::s: break;
    case Precision::d: return body(double());
    case Precision::c: return body(std::complex<float>());
    case Precision::z: return body(std::complex<double>());
  }
  return body(float());
}

}  // namespace duoblas
