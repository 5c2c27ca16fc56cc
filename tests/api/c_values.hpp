// The C interface's values of enumerations, and what it says of a call's arguments.
#pragma once

#include <string>

#include <duoblas/duoblas.h>
#include <duoblas/types.hpp>

namespace duoblas::test {

inline duoblas_op c_op(Op op) {
  return op == Op::none        ? DUOBLAS_NO_TRANS
         : op == Op::transpose ? DUOBLAS_TRANS
                               : DUOBLAS_CONJ_TRANS;
}

inline duoblas_layout c_layout(Layout layout) {
  return layout == Layout::row_major ? DUOBLAS_ROW_MAJOR : DUOBLAS_COLUMN_MAJOR;
}

inline duoblas_side c_side(Side side) {
  return side == Side::left ? DUOBLAS_LEFT : DUOBLAS_RIGHT;
}

inline duoblas_uplo c_uplo(Uplo uplo) {
  return uplo == Uplo::upper ? DUOBLAS_UPPER : DUOBLAS_LOWER;
}

inline duoblas_diag c_diag(Diag diag) {
  return diag == Diag::unit ? DUOBLAS_UNIT : DUOBLAS_NON_UNIT;
}

inline bool last_error_names(const char* argument) {
  return std::string(duoblas_last_error()).find(argument) != std::string::npos;
}

}  // namespace duoblas::test
