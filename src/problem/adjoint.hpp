// How a factor of a symmetric or Hermitian matrix is turned.
#pragma once

#include <duoblas/types.hpp>

#include "problem/precision.hpp"

namespace duoblas {

/// Real types have one way to transpose, which products are asked for by one name.
constexpr Op adjoint(Precision precision) {
  return is_complex(precision) ? Op::conj_transpose : Op::transpose;
}

}  // namespace duoblas
