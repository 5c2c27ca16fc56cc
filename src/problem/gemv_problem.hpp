// y = alpha op(A) x + beta y, row-major: the one form into which every caller of gemv is converted.
#pragma once

#include <complex>
#include <cstdint>

#include "problem/partition.hpp"
#include "problem/precision.hpp"
#include "problem/strided_vector.hpp"

namespace duoblas {

/// A is stored as `rows` rows of `columns` elements, `lda` apart. y has one element per row, or one
/// per column if op(A) transposes; x has one per column, or row. A column-major caller's conjugate
/// transpose becomes a row-major A that is only conjugated, for which there is no Op. Scalars are
/// as in GemmProblem. y overlaps neither A nor x.
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

/// The part for some of y's elements: it uses these rows, or columns, of A.
GemvProblem outputs_of(const GemvProblem& problem, Interval outputs);
/// All of y, with some of the terms of each sum.
GemvProblem terms_of(const GemvProblem& problem, Interval terms);

/// Bytes that go through memory: A and x once; y once, or twice if it is read.
double traffic_bytes(const GemvProblem& problem);

/// y = beta y: reads y only where beta is not 0.
void scale_y(const GemvProblem& problem) noexcept;
/// y = sums + beta y, `sums` without gaps.
void add_sums(const GemvProblem& problem, const void* sums) noexcept;

}  // namespace duoblas
