// B = alpha op(A), out of place, row-major: a copy that may transpose, conjugate and scale (BLAS's
// extension omatcopy).
#pragma once

#include <complex>
#include <cstdint>

#include <duoblas/types.hpp>

#include "problem/partition.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// B has `rows` rows of `columns` elements, `ldb` apart. A is stored so, or as `columns` rows of
/// `rows` elements where op(A) transposes, `lda` apart. B overlaps A nowhere.
struct CopyProblem {
  Precision precision = Precision::s;
  bool transposes = false;
  bool conjugates = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::complex<double> alpha = 1.0;
  const void* a = nullptr;
  std::int64_t lda = 0;
  void* b = nullptr;
  std::int64_t ldb = 0;

  bool empty() const { return rows == 0 || columns == 0; }
  std::int64_t stored_rows() const { return transposes ? columns : rows; }
  std::int64_t stored_columns() const { return transposes ? rows : columns; }
};

/// The arguments of a ?omatcopy call as given: A is m x n as stored before op.
struct CallerCopy {
  Layout layout = Layout::row_major;
  Op op = Op::none;
  Precision precision = Precision::s;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::complex<double> alpha = 1.0;
  const void* a = nullptr;
  std::int64_t lda = 0;
  void* b = nullptr;
  std::int64_t ldb = 0;
};

/// \throws ArgumentError with the position in duoblas_?omatcopy (layout 1, op 2, m 3, n 4, alpha 5,
/// a 6, lda 7, b 8, ldb 9). Nothing has been read or written then.
void check(const CallerCopy& call);

CopyProblem to_row_major(const CallerCopy& call);

/// Some rows of B.
CopyProblem rows_of(const CopyProblem& problem, Interval rows);

/// Bytes that go through memory once: A is read, B is written.
double traffic_bytes(const CopyProblem& problem);

}  // namespace duoblas
