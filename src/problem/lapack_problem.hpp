// Routines of LAPACK, column-major as LAPACK has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <duoblas/types.hpp>

#include "problem/precision.hpp"

namespace duoblas {

/// laswp is a step of the others; no program's call is converted to it. Files of learned times
/// contain these numbers.
enum class LapackRoutine {
  getrf,
  potrf,
  gesv,
  posv,
  getrs,
  potrs,
  getri,
  laswp,
  geqrf,
  orgqr,
  ormqr
};

inline constexpr std::size_t lapack_routine_count = 11;

/// "getrf": the routine's name without the letter of the precision.
const char* name(LapackRoutine routine);
/// "zungqr": LAPACK calls orthogonal matrices of complex numbers unitary.
std::string name(LapackRoutine routine, Precision precision);

/// A call. What each routine reads of it:
///
///     getrf   P L U = A                       m n a pivots
///     potrf   L L' = A, or U' U = A           uplo n a
///     gesv    B = inv(A) B, and getrf of A    n right_sides a pivots b
///     posv    B = inv(A) B, and potrf of A    uplo n right_sides a b
///     getrs   B = inv(op(A)) B after getrf    op n right_sides a pivots b
///     potrs   B = inv(A) B after potrf        uplo n right_sides a b
///     getri   A = inv(A) after getrf          n a pivots
///     laswp   rows are swapped with those that pivots name, from first_row on: n a pivots
///     geqrf   Q R = A                         m n a tau
///     orgqr   A = the first columns of Q      m n reflectors a tau
///     ormqr   B = op(Q) B, or B op(Q)         side op m n right_sides a tau b
///
/// A is m x n (getrf, laswp, QR), else n x n, its columns `lda` elements apart; B is n x
/// right_sides (QR: m x right_sides, or with ormqr from the right, right_sides x m). Pivots are row
/// numbers from 1 on. Q is a product of reflectors I - tau v v^H, of geqrf min(m, n), of orgqr the
/// first `reflectors`, of ormqr n, whose v are columns of A from the diagonal on, with a 1 there
/// that is not stored.
struct LapackProblem {
  LapackRoutine routine = LapackRoutine::getrf;
  Precision precision = Precision::d;
  Uplo uplo = Uplo::upper;
  Side side = Side::left;
  Op op = Op::none;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t right_sides = 0;
  void* a = nullptr;
  std::int64_t lda = 0;
  std::int32_t* pivots = nullptr;
  void* b = nullptr;
  std::int64_t ldb = 0;
  void* tau = nullptr;
  std::int64_t reflectors = 0;
  std::int64_t first_row = 0, last_row = 0;  ///< of laswp: rows first_row to last_row - 1, from 0
  bool backwards = false;                    ///< of laswp: undoes that

  bool empty() const;
};

/// geqrf, and the routines that use its result.
constexpr bool is_orthogonal(LapackRoutine r) {
  return r == LapackRoutine::geqrf || r == LapackRoutine::orgqr || r == LapackRoutine::ormqr;
}
constexpr std::int64_t rows_of_matrix(const LapackProblem& p) {
  return p.routine == LapackRoutine::getrf || is_orthogonal(p.routine) ? p.m : p.n;
}
inline bool LapackProblem::empty() const {
  return n == 0 || rows_of_matrix(*this) == 0;
}

/// A is factorised: getrf, potrf and the solvers that begin with them.
constexpr bool factorises(LapackRoutine r) {
  return r == LapackRoutine::getrf || r == LapackRoutine::potrf || r == LapackRoutine::gesv ||
         r == LapackRoutine::posv;
}
/// The matrix is, or becomes, a triangle and its mirror image. Not so for LU.
constexpr bool is_definite(LapackRoutine r) {
  return r == LapackRoutine::potrf || r == LapackRoutine::posv || r == LapackRoutine::potrs;
}
constexpr bool has_right_sides(LapackRoutine r) {
  return r == LapackRoutine::gesv || r == LapackRoutine::posv || r == LapackRoutine::getrs ||
         r == LapackRoutine::potrs;
}
/// X takes the place of B; the factors are only read.
constexpr bool solves(LapackRoutine r) {
  return r == LapackRoutine::getrs || r == LapackRoutine::potrs;
}

/// Floating-point operations, leading terms (LAPACK Working Note 41): getrf m n^2 - n^3 / 3 where m
/// >= n, potrf n^3 / 3, solves 2 n^2 per right-hand side, getri 4/3 n^3; four times that
/// for complex types. Of QR likewise: geqrf 2 n^2 (m - n / 3) where m >= n.
double flops(const LapackProblem& p);

/// Element (row, column) of a column-major matrix.
void* element_of(void* matrix, std::int64_t ld, std::int64_t row, std::int64_t column,
                 Precision precision);

}  // namespace duoblas
