// The CBLAS constants, which every CBLAS shares.
#pragma once

#include <duoblas/types.hpp>

#include "problem/precision.hpp"

namespace duoblas {

inline constexpr int cblas_row_major = 101;
inline constexpr int cblas_column_major = 102;

constexpr int cblas_op(Op op, Precision precision) {
  if (op == Op::none) return 111;
  return op == Op::transpose || !is_complex(precision) ? 112 : 113;
}

}  // namespace duoblas
