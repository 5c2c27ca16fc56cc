// For explicit instantiations of the C++ interface's templates.
#pragma once

#include <complex>
#include <cstdint>

namespace duoblas {

using Size = std::int64_t;

}  // namespace duoblas

#define DUOBLAS_FOR_EVERY_TYPE(INSTANTIATE) \
  INSTANTIATE(float);                       \
  INSTANTIATE(double);                      \
  INSTANTIATE(std::complex<float>);         \
  INSTANTIATE(std::complex<double>)
