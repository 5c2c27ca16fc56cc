// y += alpha x: the one form into which every caller of axpy is converted.
#pragma once

#include <complex>
#include <cstdint>

#include "problem/ger_problem.hpp"
#include "problem/partition.hpp"
#include "problem/precision.hpp"
#include "problem/strided_vector.hpp"

namespace duoblas {

/// x and y have `size` elements. y's increment is not negative: a vector that begins at the end of
/// its memory is reversed. If x's increment is 0, the same element is used again and again; if y's
/// is 0, all products are added to one element. y does not overlap x.
struct AxpyProblem {
  Precision precision = Precision::s;
  std::int64_t size = 0;
  std::complex<double> alpha = 1.0;
  StridedVector x;
  StridedVector y;

  /// alpha == 0: y stays as it is, whatever x holds.
  bool changes_nothing() const { return size == 0 || alpha == std::complex<double>(0.0); }
  /// Whether elements of y can be computed independently.
  bool can_be_partitioned() const { return y.increment != 0; }
};

/// The arguments of a ?axpy call as given.
struct CallerAxpy {
  Precision precision = Precision::s;
  std::int64_t n = 0;
  std::complex<double> alpha = 1.0;
  const void* x = nullptr;
  std::int64_t incx = 1;
  void* y = nullptr;
  std::int64_t incy = 1;
};

/// \throws ArgumentError with the position in duoblas_?axpy (n 1, alpha 2, x 3, incx 4, y 5, incy
/// 6). Nothing has been read or written then.
void check(const CallerAxpy& call);

AxpyProblem problem_of(const CallerAxpy& call);

/// The part for some elements of y.
AxpyProblem elements_of(const AxpyProblem& problem, Interval elements);

/// The same as a ger on a matrix of one column, so that one check of results serves both. `one`: an
/// element that is 1. \pre can_be_partitioned().
GerProblem as_ger(const AxpyProblem& problem, void* one);

/// Bytes that go through memory once: y is read and written, x is read.
double traffic_bytes(const AxpyProblem& problem);

}  // namespace duoblas
