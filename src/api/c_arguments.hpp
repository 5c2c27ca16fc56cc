// Converts the enumerations of C programs to ours. A value that is no enumerator stays illegal, so
// that check() reports it.
#pragma once

#include <duoblas/duoblas.h>
#include <duoblas/error.hpp>
#include <duoblas/types.hpp>

namespace duoblas {

inline Layout layout_of(duoblas_layout layout) {
  switch (layout) {
    case DUOBLAS_ROW_MAJOR: return Layout::row_major;
    case DUOBLAS_COLUMN_MAJOR: return Layout::column_major;
  }
  return static_cast<Layout>(-1);
}

inline Op op_of(duoblas_op op) {
  switch (op) {
    case DUOBLAS_NO_TRANS: return Op::none;
    case DUOBLAS_TRANS: return Op::transpose;
    case DUOBLAS_CONJ_TRANS: return Op::conj_transpose;
  }
  return static_cast<Op>(-1);
}

inline Side side_of(duoblas_side side) {
  switch (side) {
    case DUOBLAS_LEFT: return Side::left;
    case DUOBLAS_RIGHT: return Side::right;
  }
  return static_cast<Side>(-1);
}

inline Uplo uplo_of(duoblas_uplo uplo) {
  switch (uplo) {
    case DUOBLAS_UPPER: return Uplo::upper;
    case DUOBLAS_LOWER: return Uplo::lower;
  }
  return static_cast<Uplo>(-1);
}

inline Diag diag_of(duoblas_diag diag) {
  switch (diag) {
    case DUOBLAS_NON_UNIT: return Diag::non_unit;
    case DUOBLAS_UNIT: return Diag::unit;
  }
  return static_cast<Diag>(-1);
}

/// A complex scalar of a C program. \throws ArgumentError if it is null.
template <typename T>
T scalar(const void* at, int position, const char* name) {
  if (at == nullptr) throw ArgumentError(position, name, "is a null pointer");
  return *static_cast<const T*>(at);
}

}  // namespace duoblas
