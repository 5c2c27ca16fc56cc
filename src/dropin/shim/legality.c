#include "dropin/shim/legality.h"

#include <stddef.h>

#include "dropin/shim/cblas_values.h"

/* Lines of a matrix are its columns, or its rows where the layout is row-major: a leading dimension
 * holds one, and is not 0. */
static int holds(int64_t ld, const struct duoblas_blas_call* call, int64_t rows, int64_t columns) {
  const int64_t line = call->layout == COLUMN_MAJOR ? rows : columns;
  return ld >= (line > 1 ? line : 1);
}

/* As `rows` x `columns`, or turned round. */
static int holds_op(int64_t ld, const struct duoblas_blas_call* call, int op, int64_t rows,
                    int64_t columns) {
  return op == NO_TRANS ? holds(ld, call, rows, columns) : holds(ld, call, columns, rows);
}

static int is_op(int op) {
  return op == NO_TRANS || op == TRANS || op == CONJ_TRANS;
}
static int is_side(int side) {
  return side == LEFT || side == RIGHT;
}
static int is_uplo(int uplo) {
  return uplo == UPPER || uplo == LOWER;
}
static int is_diag(int diag) {
  return diag == NON_UNIT || diag == UNIT;
}

static int illegal_in_gemv(const struct duoblas_blas_call* call) {
  if (!is_op(call->op_a)) return 1;
  if (call->m < 0) return 2;
  if (call->n < 0) return 3;
  if (!holds(call->lda, call, call->m, call->n)) return 6;
  if (call->incx == 0) return 8;
  return call->incy != 0 ? NONE_ILLEGAL : 11;
}

static int illegal_in_gemm(const struct duoblas_blas_call* call) {
  if (!is_op(call->op_a)) return 1;
  if (!is_op(call->op_b)) return 2;
  if (call->m < 0) return 3;
  if (call->n < 0) return 4;
  if (call->k < 0) return 5;
  if (!holds_op(call->lda, call, call->op_a, call->m, call->k)) return 8;
  if (!holds_op(call->ldb, call, call->op_b, call->k, call->n)) return 10;
  return holds(call->ldc, call, call->m, call->n) ? NONE_ILLEGAL : 13;
}

static int illegal_in_symm(const struct duoblas_blas_call* call) {
  const int64_t order = call->side == LEFT ? call->m : call->n;
  if (!is_side(call->side)) return 1;
  if (!is_uplo(call->uplo)) return 2;
  if (call->m < 0) return 3;
  if (call->n < 0) return 4;
  if (!holds(call->lda, call, order, order)) return 7;
  if (!holds(call->ldb, call, call->m, call->n)) return 9;
  return holds(call->ldc, call, call->m, call->n) ? NONE_ILLEGAL : 12;
}

/* Hermitian products know conjugation and no plain transposition; complex symmetric ones the
 * reverse. */
static int is_rank_update_op(const struct duoblas_blas_call* call) {
  const int hermitian = call->routine == DUOBLAS_HERK || call->routine == DUOBLAS_HER2K;
  const int complex_type = call->precision == 'c' || call->precision == 'z';
  if (call->op_a == TRANS) return !hermitian;
  if (call->op_a == CONJ_TRANS) return hermitian || !complex_type;
  return call->op_a == NO_TRANS;
}

static int illegal_in_rank_update(const struct duoblas_blas_call* call) {
  const int has_b = call->routine == DUOBLAS_SYR2K || call->routine == DUOBLAS_HER2K;
  if (!is_uplo(call->uplo)) return 1;
  if (!is_rank_update_op(call)) return 2;
  if (call->n < 0) return 3;
  if (call->k < 0) return 4;
  if (!holds_op(call->lda, call, call->op_a, call->n, call->k)) return 7;
  if (has_b && !holds_op(call->ldb, call, call->op_a, call->n, call->k)) return 9;
  return holds(call->ldc, call, call->n, call->n) ? NONE_ILLEGAL : has_b ? 12 : 10;
}

static int illegal_in_triangular(const struct duoblas_blas_call* call) {
  const int64_t order = call->side == LEFT ? call->m : call->n;
  if (!is_side(call->side)) return 1;
  if (!is_uplo(call->uplo)) return 2;
  if (!is_op(call->op_a)) return 3;
  if (!is_diag(call->diag)) return 4;
  if (call->m < 0) return 5;
  if (call->n < 0) return 6;
  if (!holds(call->lda, call, order, order)) return 9;
  return holds(call->ldc, call, call->m, call->n) ? NONE_ILLEGAL : 11;
}

static int64_t larger(int64_t x, int64_t y) {
  return x > y ? x : y;
}

/* With lwork's least. A question for it, with -1, is none of the engine's either. */
static int illegal_in_qr(const struct duoblas_blas_call* call) {
  const int64_t m = call->m, n = call->n, k = call->k;
  if (call->routine == DUOBLAS_GEQRF) {
    if (m < 0) return 0;
    if (n < 0) return 1;
    if (!holds(call->lda, call, m, n)) return 3;
    return call->lwork >= larger(1, n) ? NONE_ILLEGAL : 6;
  }
  if (call->routine == DUOBLAS_ORGQR) {
    if (m < 0) return 0;
    if (n < 0 || n > m) return 1;
    if (k < 0 || k > n) return 2;
    if (!holds(call->lda, call, m, n)) return 4;
    return call->lwork >= larger(1, n) ? NONE_ILLEGAL : 7;
  }
  const int is_complex = call->precision == 'c' || call->precision == 'z';
  if (call->op_a != NO_TRANS && call->op_a != (is_complex ? CONJ_TRANS : TRANS))
    return call->routine == DUOBLAS_ORMQR;
  if (call->routine == DUOBLAS_ORMQR) {
    const int is_left = call->side == LEFT;
    if (!is_side(call->side)) return 0;
    if (m < 0) return 2;
    if (n < 0) return 3;
    const int64_t order = is_left ? m : n;
    if (k < 0 || k > order) return 4;
    if (!holds(call->lda, call, order, k)) return 6;
    if (!holds(call->ldc, call, m, n)) return 9;
    return call->lwork >= larger(1, is_left ? n : m) ? NONE_ILLEGAL : 11;
  }
  if (m < 0) return 1;
  if (n < 0) return 2;
  if (k < 0) return 3;
  if (!holds(call->lda, call, m, n)) return 5;
  if (!holds(call->ldc, call, larger(m, n), k)) return 7;
  const int64_t least = m < n ? m : n;
  return call->lwork >= larger(1, least + larger(least, k)) ? NONE_ILLEGAL : 9;
}

/* With lwork's least, as of QR. */
static int illegal_in_getri(const struct duoblas_blas_call* call) {
  if (call->n < 0) return 0;
  if (!holds(call->lda, call, call->n, call->n)) return 2;
  return call->lwork >= larger(1, call->n) ? NONE_ILLEGAL : 5;
}

/* LAPACK's matrices are square but for getrf's. Where there is an `uplo` or an op it comes first.
 */
static int illegal_in_lapack(const struct duoblas_blas_call* call) {
  const int is_lu = call->routine == DUOBLAS_GETRF;
  const int solves = call->routine != DUOBLAS_GETRF && call->routine != DUOBLAS_POTRF &&
                     call->routine != DUOBLAS_POTRI;
  const int has_choice = call->routine != DUOBLAS_GETRF && call->routine != DUOBLAS_GESV;
  const int is_getrs = call->routine == DUOBLAS_GETRS;
  const int has_pivots = is_getrs || call->routine == DUOBLAS_GESV;
  if (has_choice && !(is_getrs ? is_op(call->op_a) : is_uplo(call->uplo))) return 0;
  if (is_lu && call->m < 0) return 0;
  if (call->n < 0) return is_lu || has_choice ? 1 : 0;
  if (solves && call->k < 0) return has_choice ? 2 : 1;
  const int64_t order = is_lu ? call->m : call->n;
  const int a = is_lu ? 2 : has_choice + 1 + solves;
  if (!holds(call->lda, call, order, order)) return a + 1;
  if (solves && !holds(call->ldc, call, call->n, call->k)) return a + 3 + has_pivots;
  return NONE_ILLEGAL;
}

int illegal_argument(const struct duoblas_blas_call* call) {
  if (call->layout != ROW_MAJOR && call->layout != COLUMN_MAJOR) return LAYOUT_ARGUMENT;
  switch (call->routine) {
    case DUOBLAS_GEMV: return illegal_in_gemv(call);
    case DUOBLAS_GEMM: return illegal_in_gemm(call);
    case DUOBLAS_SYMM:
    case DUOBLAS_HEMM: return illegal_in_symm(call);
    case DUOBLAS_TRMM:
    case DUOBLAS_TRSM: return illegal_in_triangular(call);
    case DUOBLAS_GETRF:
    case DUOBLAS_POTRF:
    case DUOBLAS_GESV:
    case DUOBLAS_POSV:
    case DUOBLAS_GETRS:
    case DUOBLAS_POTRS:
    case DUOBLAS_POTRI: return illegal_in_lapack(call);
    case DUOBLAS_GETRI: return illegal_in_getri(call);
    case DUOBLAS_GEQRF:
    case DUOBLAS_ORGQR:
    case DUOBLAS_ORMQR:
    case DUOBLAS_GELS: return illegal_in_qr(call);
    default: return illegal_in_rank_update(call);
  }
}
