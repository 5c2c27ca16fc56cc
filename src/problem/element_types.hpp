// From a precision, known while the program runs, to the C++ type of its elements.
#pragma once

#include <complex>
#include <utility>

#include "problem/precision.hpp"

namespace duoblas {

/// body(T()) with the precision's type; what it returns, the same for every type.
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

/// The same of s and d. \pre not complex.
template <typename Body>
decltype(auto) with_real_type(Precision precision, Body&& body) {
  if (is_double(precision)) return body(double());
  return body(float());
}

}  // namespace duoblas
