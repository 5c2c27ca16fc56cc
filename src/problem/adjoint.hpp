// The op of an adjoint.
#pragma once

#include <duoblas/types.hpp>

#include "problem/precision.hpp"

namespace duoblas {

/// For real types transpose and conjugate transpose are the same; products are asked for by one
/// name.
constexpr Op adjoint(Precision precision) {
  return is_complex(precision) ? Op::conj_transpose : Op::transpose;
}

}  // namespace duoblas
