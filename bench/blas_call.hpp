// One Fortran call of gemv or of level 3 as text, with operands of its own, made through any
// library.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "problem/blas_call.h"

namespace duoblas {

/// "dgemm:nt:1024x512x64", "strsm:lunn:1024x512", "zherk:ln:1024x512", "dgemv:t:1024x512": the
/// routine, then its letters and its sizes in the order of the Fortran arguments, one size if all
/// are the same. beta is 0, or 1 with ":add" at the end: "dgemm:nn:9x9x9:add".
struct BlasPoint {
  char precision = 's';
  int routine = DUOBLAS_GEMM;  ///< enum duoblas_routine
  std::string letters;
  std::vector<int> sizes;
  bool adds = false;
};

/// \throws SettingError.
BlasPoint blas_point(const std::string& text);
std::string text_of(const BlasPoint& point);
/// The symbol: "dgemm_".
std::string symbol_of(const BlasPoint& point);
/// The leading terms, as in problem/blas_call.h.
double flops(const BlasPoint& point);

/// A point with operands in ordinary memory.
class BlasCall {
 public:
  explicit BlasCall(BlasPoint point);

  const BlasPoint& point() const { return point_; }
  /// Calls a function that dlsym() gave for symbol_of(point()).
  void make(void* function) const;
  /// The same call for the engine behind the drop-in.
  duoblas_blas_call for_engine() const;

 private:
  struct Matrix {
    std::vector<std::byte> bytes;
    int ld = 1;
  };
  void fill(Matrix& matrix, int rows, int cols, bool triangular) const;

  BlasPoint point_;
  std::vector<double> one_, beta_;  // as elements of the precision
  mutable Matrix a_, b_, c_;
};

}  // namespace duoblas
