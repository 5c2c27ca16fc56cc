// y = alpha op(A) x + beta y, row-major: the one meaning that every caller of gemv is turned into.
#pragma once

#include <complex>
#include <cstdint>

#include "problem/cut.hpp"
#include "problem/precision.hpp"
#include "problem/strided_vector.hpp"

namespace duoblas {

/// A is stored as `rows` rows of `columns` elements, `lda` apart. y has an element per row, or per
/// column where op(A) transposes; x has the others. Row-major, a column-major caller's conjugate
/// transpose is conjugated alone, which no Op says. Scalars as GemmProblem's. y overlaps neither A
/// nor x.
struct GemvProblem {
  Precision precision = Precision::s;
  bool transposes = false;
  bool conjugates = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::complex<double> alpha = 1.0;
  const void* a = nullptr;
  std::int64_t lda = 0;
  StridedVector x;
  std::complex<double> beta = 0.0;
  StridedVector y;

  std::int64_t outputs() const { return transposes ? columns : rows; }
  std::int64_t terms() const { return transposes ? rows : columns; }
  /// beta == 0: y is written and never read.
  bool overwrites_y() const { return beta == std::complex<double>(0.0); }
  bool only_scales_y() const { return terms() == 0 || alpha == std::complex<double>(0.0); }
  bool empty() const { return outputs() == 0; }
};

/// Some of y's elements: of A those rows, or columns.
GemvProblem outputs_of(const GemvProblem& problem, Interval outputs);
/// All of y, by some of the terms of each sum.
GemvProblem terms_of(const GemvProblem& problem, Interval terms);

/// Bytes that go through memory once: A, x and y (twice where it is read).
double traffic_bytes(const GemvProblem& problem);

/// y = beta y: reads y only where beta is not 0.
void scale_y(const GemvProblem& problem) noexcept;
/// y = sums + beta y, `sums` without gaps.
void add_sums(const GemvProblem& problem, const void* sums) noexcept;

}  // namespace duoblas
