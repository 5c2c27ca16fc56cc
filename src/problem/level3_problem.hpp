// The routines of level 3 beside gemm, row-major: the one form into which every caller is
// converted.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include <duoblas/types.hpp>

#include "problem/precision.hpp"

namespace duoblas {

enum class Routine { symm, hemm, syrk, herk, syr2k, her2k, trmm, trsm };

inline constexpr std::size_t routine_count = 8;

/// "symm": the routine's name without the letter of the precision.
const char* name(Routine routine);

/// C is the symmetric or Hermitian result, and one triangle of it is stored.
constexpr bool updates_triangle(Routine r) {
  return r == Routine::syrk || r == Routine::herk || r == Routine::syr2k || r == Routine::her2k;
}
constexpr bool is_rank_2k(Routine r) {
  return r == Routine::syr2k || r == Routine::her2k;
}
/// The mirrored triangle is the conjugate: hemm, herk, her2k.
constexpr bool is_hermitian(Routine r) {
  return r == Routine::hemm || r == Routine::herk || r == Routine::her2k;
}
/// A is triangular, and the other operand is overwritten with the result: trmm, trsm.
constexpr bool is_in_place(Routine r) {
  return r == Routine::trmm || r == Routine::trsm;
}

/// A row-major call. What each routine reads of it:
///
///     symm, hemm    C = alpha A B + beta C, or alpha B A + beta C     side uplo m n
///     syrk, herk    C = alpha op(A) op(A)' + beta C                   uplo op n k
///     syr2k, her2k  C = alpha op(A) op(B)' + alpha' op(B) op(A)' + beta C     uplo op n k
///     trmm          C = alpha op(A) C, or alpha C op(A)               side uplo op diag m n
///     trsm          C = alpha inv(op(A)) C, or alpha C inv(op(A))     side uplo op diag m n
///
/// ' transposes, and conjugates where the routine is Hermitian. C is m x n, or n x n with one
/// triangle stored (syrk, herk, syr2k, her2k; m is not looked at). A triangular, symmetric or
/// Hermitian A is m x m (left) or n x n (right); op(A) and op(B) of these are n x k.
struct Level3Problem {
  Routine routine = Routine::symm;
  Precision precision = Precision::s;
  Side side = Side::left;
  Uplo uplo = Uplo::upper;
  Op op = Op::none;
  Diag diag = Diag::non_unit;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::complex<double> alpha = 1.0;
  const void* a = nullptr;
  std::int64_t lda = 0;
  const void* b = nullptr;
  std::int64_t ldb = 0;
  std::complex<double> beta = 0.0;
  void* c = nullptr;
  std::int64_t ldc = 0;

  bool empty() const { return n == 0 || (!updates_triangle(routine) && m == 0); }
  /// The operands contribute nothing: only C = beta C remains, or C = 0 for routines in place.
  bool only_scales_c() const {
    return alpha == std::complex<double>(0.0) || (updates_triangle(routine) && k == 0);
  }
  /// C stays as it is, bit for bit, as in the reference BLAS.
  bool changes_nothing() const {
    return empty() || (!is_in_place(routine) && only_scales_c() && beta == 1.0);
  }
};

/// Whether the call reads the old values of C.
inline bool reads_c(const Level3Problem& p) {
  return is_in_place(p.routine) || p.beta != 0.0;
}

/// Rows of the triangular, symmetric or Hermitian matrix: what the routine can be halved along.
constexpr std::int64_t order(const Level3Problem& p) {
  return updates_triangle(p.routine) || p.side == Side::right ? p.n : p.m;
}
/// The other extent: right-hand sides, or the depth k of a sum.
constexpr std::int64_t free_extent(const Level3Problem& p) {
  if (updates_triangle(p.routine)) return p.k;
  return p.side == Side::left ? p.n : p.m;
}

/// The extent that is divided between two sides that compute at once: lines of a triangle of C, or
/// the right-hand sides.
constexpr std::int64_t divided_extent(const Level3Problem& p) {
  return updates_triangle(p.routine) ? p.n : free_extent(p);
}

/// The shapes of A and B as they lie in row-major memory, and of C.
struct StoredShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};
constexpr StoredShape stored_a(const Level3Problem& p) {
  if (!updates_triangle(p.routine)) return {order(p), order(p)};
  return p.op == Op::none ? StoredShape{p.n, p.k} : StoredShape{p.k, p.n};
}
constexpr StoredShape stored_c(const Level3Problem& p) {
  return {updates_triangle(p.routine) ? p.n : p.m, p.n};
}
/// \pre the routine has a B of its own.
constexpr StoredShape stored_b(const Level3Problem& p) {
  return is_rank_2k(p.routine) ? stored_a(p) : stored_c(p);
}
constexpr bool has_b(Routine r) {
  return !is_in_place(r) && r != Routine::syrk && r != Routine::herk;
}

/// For trmm and trsm. True if row i of a left op(A) (column i of a right one) is nonzero only from
/// i on: then a row (column) of the result depends on later rows (columns) of C.
constexpr bool takes_later(const Level3Problem& p) {
  return ((p.uplo == Uplo::upper) == (p.op == Op::none)) == (p.side == Side::left);
}
/// The order in which blocks of lines of C are computed, along the triangular, symmetric or
/// Hermitian matrix. trsm needs the finished blocks for the others; trmm needs the unfinished ones;
/// and syrk's A is needed piece by piece. True: from the last line on.
constexpr bool from_the_end(const Level3Problem& p) {
  if (updates_triangle(p.routine)) return p.uplo == Uplo::upper;
  return is_in_place(p.routine) && takes_later(p) == (p.routine == Routine::trsm);
}

/// How much of a call's result is in the caller's memory: so many lines along the order, counted
/// from the end if from_the_end(). If side is right, rows are independent; then so many rows of the
/// `next` columns, too.
struct Level3Progress {
  std::int64_t lines = 0;
  std::int64_t rows_of_next = 0, next = 0;
};

/// The matrices of a call that a device uses in the caller's memory.
struct MatricesInPlace {
  bool a = false, b = false, c = false;
};
/// Those of the wanted matrices that the call has.
constexpr MatricesInPlace usable_in_place(const Level3Problem& p, MatricesInPlace wanted) {
  return {wanted.a, wanted.b && has_b(p.routine), wanted.c};
}

/// Floating-point operations, leading terms: n^2 k for syrk, 2 n^2 k for syr2k, 2 m^2 n for symm
/// and m^2 n for trmm and trsm from the left; four times that for complex types.
double flops(const Level3Problem& p);

}  // namespace duoblas
