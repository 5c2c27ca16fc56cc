// Tests of every element type.
#pragma once

#include <complex>

namespace duoblas::test {

/// body(T()) for each type.
template <typename Body>
void for_all_types(Body&& body) {
  body(float());
  body(double());
  body(std::complex<float>());
  body(std::complex<double>());
}

}  // namespace duoblas::test
