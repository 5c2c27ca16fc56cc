#include "dropin/shim/legality.h"

#include <stddef.h>

#include "dropin/shim/alias.h"
#include "dropin/shim/routine_arguments.h"

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
static int is_complex(const struct duoblas_blas_call* call) {
  return call->precision == 'c' || call->precision == 'z';
}

/* Hermitian products know conjugation and no plain transposition; complex symmetric ones the
 * reverse. */
static int is_rank_update_op(const struct duoblas_blas_call* call) {
  const int hermitian = call->routine == DUOBLAS_HERK || call->routine == DUOBLAS_HER2K;
  if (call->op_a == TRANS) return !hermitian;
  if (call->op_a == CONJ_TRANS) return hermitian || !is_complex(call);
  return call->op_a == NO_TRANS;
}

static int is_qr_op(const struct duoblas_blas_call* call) {
  return call->op_a == NO_TRANS || call->op_a == (is_complex(call) ? CONJ_TRANS : TRANS);
}

static int64_t larger(int64_t x, int64_t y) {
  return x > y ? x : y;
}

struct matrix {
  int64_t rows, columns;
};

static struct matrix turned(int op, int64_t rows, int64_t columns) {
  return op == NO_TRANS ? (struct matrix){rows, columns} : (struct matrix){columns, rows};
}

/* Lines of a matrix are its columns, or its rows where the layout is row-major: a leading dimension
 * holds one, and is not 0. */
static int holds(int64_t ld, const struct duoblas_blas_call* call, struct matrix matrix) {
  return ld >= larger(1, call->layout == COLUMN_MAJOR ? matrix.rows : matrix.columns);
}

/* What a routine wants of its arguments. */
struct wants {
  struct matrix a, b, c;
  int op_a;               /* whether it is legal */
  int64_t most_n, most_k; /* at least 0 always */
  int64_t work; /* the least length; a question for it, with -1, is none of the engine's */
};

static struct wants wants_of(const struct duoblas_blas_call* call) {
  const int64_t m = call->m, n = call->n, k = call->k;
  const int64_t order = call->side == LEFT ? m : n;
  struct wants wants = {{n, n}, {m, n}, {m, n}, is_op(call->op_a), INT64_MAX, INT64_MAX, n};
  switch (call->routine) {
    case DUOBLAS_GEMM:
      wants.a = turned(call->op_a, m, k);
      wants.b = turned(call->op_b, k, n);
      break;
    case DUOBLAS_SYMM:
    case DUOBLAS_HEMM:
    case DUOBLAS_TRMM:
    case DUOBLAS_TRSM: wants.a = (struct matrix){order, order}; break;
    case DUOBLAS_SYRK:
    case DUOBLAS_HERK:
    case DUOBLAS_SYR2K:
    case DUOBLAS_HER2K:
      wants.op_a = is_rank_update_op(call);
      wants.a = wants.b = turned(call->op_a, n, k);
      wants.c = (struct matrix){n, n};
      break;
    case DUOBLAS_GEMV:
    case DUOBLAS_GETRF:
    case DUOBLAS_GEQRF: wants.a = (struct matrix){m, n}; break;
    case DUOBLAS_ORGQR:
      wants.a = (struct matrix){m, n};
      wants.most_n = m;
      wants.most_k = n;
      break;
    case DUOBLAS_ORMQR:
      wants.op_a = is_qr_op(call);
      wants.a = (struct matrix){order, k};
      wants.most_k = order;
      wants.work = call->side == LEFT ? n : m;
      break;
    default: wants.c = (struct matrix){n, k}; break; /* the rest of LAPACK */
  }
  return wants;
}

#define LEGAL_side is_side(call->side)
#define LEGAL_uplo is_uplo(call->uplo)
#define LEGAL_op_a wants.op_a
#define LEGAL_op_b is_op(call->op_b)
#define LEGAL_diag is_diag(call->diag)
#define LEGAL_m (call->m >= 0)
#define LEGAL_n (call->n >= 0 && call->n <= wants.most_n)
#define LEGAL_k (call->k >= 0 && call->k <= wants.most_k)
#define LEGAL_lda holds(call->lda, call, wants.a)
#define LEGAL_ldb holds(call->ldb, call, wants.b)
#define LEGAL_ldc holds(call->ldc, call, wants.c)
#define LEGAL_incx (call->incx != 0)
#define LEGAL_incy (call->incy != 0)
#define LEGAL_lwork (call->lwork >= larger(1, wants.work))
#define REFUSE(name) \
  if (!LEGAL_##name) return place;
#define CHECK(kind, name, C) \
  ++place;                   \
  IF_LETTER_##kind(REFUSE(name)) IF_SIZE_##kind(REFUSE(name))
#define CASE(shape, routine) \
  case DUOBLAS_##routine: shape##_ARGUMENTS(CHECK, ) break;

int illegal_argument(const struct duoblas_blas_call* call) {
  if (call->layout != ROW_MAJOR && call->layout != COLUMN_MAJOR) return LAYOUT_ARGUMENT;
  const struct wants wants = wants_of(call);
  int place = is_lapack(call->routine) ? -1 : 0;
  switch (call->routine) {
    CASE(GEMV, GEMV)
    CASE(GEMM, GEMM)
    CASE(SYMM, SYMM)
    CASE(SYMM, HEMM)
    CASE(SYRK, SYRK)
    CASE(SYRK, HERK)
    CASE(SYR2K, SYR2K)
    CASE(SYR2K, HER2K)
    CASE(TRMM, TRMM)
    CASE(TRMM, TRSM)
    CASE(GETRF, GETRF)
    CASE(POTRF, POTRF)
    CASE(GESV, GESV)
    CASE(POSV, POSV)
    CASE(GETRS, GETRS)
    CASE(POTRS, POTRS)
    CASE(GETRI, GETRI)
    CASE(GEQRF, GEQRF)
    CASE(ORGQR, ORGQR)
    CASE(ORMQR, ORMQR)
  }
  return NONE_ILLEGAL;
}
