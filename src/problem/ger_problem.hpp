// A += alpha x y', row-major: the one form into which every caller of ger, geru and gerc is
// converted.
#pragma once

#include <complex>
#include <cstdint>

#include <duoblas/types.hpp>

#include "problem/partition.hpp"
#include "problem/precision.hpp"
#include "problem/strided_vector.hpp"

namespace duoblas {

/// A is stored as `rows` rows of `columns` elements, `lda` apart. x has one element per row, y one
/// per column. One of them may be conjugated: a column-major caller's y becomes the row-major x.
/// Scalars are as in GemmProblem. A overlaps neither x nor y.
struct GerProblem {
  Precision precision = Precision::s;
  bool conjugates_x = false;
  bool conjugates_y = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::complex<double> alpha = 1.0;
  StridedVector x;
  StridedVector y;
  void* a = nullptr;
  std::int64_t lda = 0;

  bool empty() const { return rows == 0 || columns == 0; }
  /// alpha == 0: A stays as it is, whatever x and y hold.
  bool changes_nothing() const { return empty() || alpha == std::complex<double>(0.0); }
};

/// The arguments of a ?ger, ?geru or ?gerc call as given: A is m x n, x has m elements and y n.
struct CallerGer {
  Layout layout = Layout::row_major;
  bool conjugates = false;  ///< gerc: y
  Precision precision = Precision::s;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::complex<double> alpha = 1.0;
  const void* x = nullptr;
  std::int64_t incx = 1;
  const void* y = nullptr;
  std::int64_t incy = 1;
  void* a = nullptr;
  std::int64_t lda = 0;
};

/// \throws ArgumentError with the position in duoblas_?ger (layout 1, m 2, n 3, alpha 4, x 5, incx
/// 6, y 7, incy 8, a 9, lda 10). Nothing has been read or written then.
void check(const CallerGer& call);

GerProblem to_row_major(const CallerGer& call);

/// Some rows of A.
GerProblem rows_of(const GerProblem& problem, Interval rows);
/// Some columns of A.
GerProblem columns_of(const GerProblem& problem, Interval columns);

/// Bytes that go through memory once: A is read and written, x and y are read.
double traffic_bytes(const GerProblem& problem);

}  // namespace duoblas
