/* A module that calls routines with one illegal argument at a time, each in its turn. Nothing of
 * the matrices may be touched then, so there are none. */
#include <stddef.h>
#include <stdint.h>

#include "preload/blas_prototypes.h"

#define VISIBLE __attribute__((visibility("default")))
VISIBLE int fortran_illegal(void);
VISIBLE int cblas_illegal(void);

#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  void prefix##name##suffix(FORTRAN_PARAMETERS(shape, integer));
#define CBLAS_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                      suffix)                                                                    \
  void prefix##name##suffix(CBLAS_PARAMETERS(shape, integer, alpha, beta));
BLAS_ROUTINES(FORTRAN_ROUTINE, FORTRAN_32, int32_t, , _)
BLAS_ROUTINES(CBLAS_ROUTINE, CBLAS_32, int32_t, cblas_, )

/* Leading dimensions hold every matrix of these sizes, in both orders. */
struct arguments {
  char side, uplo, op_a, op_b, diag;
  int32_t m, n, k, lda, ldb, ldc, incx, incy;
};
static const struct arguments legal = {'L', 'U', 'N', 'N', 'N', 3, 4, 5, 5, 5, 5, 1, -2};
static const double scalar[2] = {1, 0};

/* Which argument stands where, as Fortran counts; '_' cannot be wrong. */
static const char gemv[] = "amn__x_i__j";
static const char gemm[] = "abmnk__x_y__z", symm[] = "sumn__x_y__z", syrk[] = "uank__x__z",
                  syr2k[] = "uank__x_y__z", triangular[] = "suadmn__x_y";

static struct arguments with_wrong(char what, char no_letter) {
  struct arguments args = legal;
  const int32_t negative = -1, too_short = 2;
  switch (what) {
    case 's': args.side = no_letter; break;
    case 'u': args.uplo = no_letter; break;
    case 'a': args.op_a = no_letter; break;
    case 'b': args.op_b = no_letter; break;
    case 'd': args.diag = no_letter; break;
    case 'm': args.m = negative; break;
    case 'n': args.n = negative; break;
    case 'k': args.k = negative; break;
    case 'i': args.incx = 0; break;
    case 'j': args.incy = 0; break;
    case 'x': args.lda = too_short; break;
    case 'y': args.ldb = too_short; break;
    default: args.ldc = too_short; break;
  }
  return args;
}

#define WITH_EACH_WRONG(order, call)                           \
  for (const char* what = order; *what != '\0'; ++what)        \
    if (*what != '_') {                                        \
      const struct arguments x = with_wrong(*what, no_letter); \
      call;                                                    \
    }

#define GEMV(name) \
  name(&x.op_a, &x.m, &x.n, scalar, NULL, &x.lda, NULL, &x.incx, scalar, NULL, &x.incy)
#define GEMM(name) \
  name(&x.op_a, &x.op_b, &x.m, &x.n, &x.k, scalar, NULL, &x.lda, NULL, &x.ldb, scalar, NULL, &x.ldc)
#define SYMM(name) \
  name(&x.side, &x.uplo, &x.m, &x.n, scalar, NULL, &x.lda, NULL, &x.ldb, scalar, NULL, &x.ldc)
#define SYRK(name) name(&x.uplo, &x.op_a, &x.n, &x.k, scalar, NULL, &x.lda, scalar, NULL, &x.ldc)
#define SYR2K(name) \
  name(&x.uplo, &x.op_a, &x.n, &x.k, scalar, NULL, &x.lda, NULL, &x.ldb, scalar, NULL, &x.ldc)
#define TRIANGULAR(name) \
  name(&x.side, &x.uplo, &x.op_a, &x.diag, &x.m, &x.n, scalar, NULL, &x.lda, NULL, &x.ldb)

int fortran_illegal(void) {
  char no_letter = 'X';
  WITH_EACH_WRONG(gemm, GEMM(sgemm_))
  WITH_EACH_WRONG(gemm, GEMM(zgemm_))
  WITH_EACH_WRONG(gemv, GEMV(dgemv_))
  WITH_EACH_WRONG(gemv, GEMV(cgemv_))
  WITH_EACH_WRONG(symm, SYMM(dsymm_))
  WITH_EACH_WRONG(symm, SYMM(chemm_))
  WITH_EACH_WRONG(syrk, SYRK(ssyrk_))
  WITH_EACH_WRONG(syrk, SYRK(zherk_))
  WITH_EACH_WRONG(syr2k, SYR2K(dsyr2k_))
  WITH_EACH_WRONG(syr2k, SYR2K(cher2k_))
  WITH_EACH_WRONG(triangular, TRIANGULAR(ztrmm_))
  WITH_EACH_WRONG(triangular, TRIANGULAR(strsm_))
  /* Complex symmetric products have no conjugation, Hermitian ones no plain transposition. */
  no_letter = 'C';
  WITH_EACH_WRONG("_a", SYRK(csyrk_))
  WITH_EACH_WRONG("_a", SYR2K(zsyr2k_))
  no_letter = 'T';
  WITH_EACH_WRONG("_a", SYRK(cherk_))
  WITH_EACH_WRONG("_a", SYR2K(zher2k_))
  return 1;
}

/* The letters as CBLAS has them; 0: none of them. */
static int choice(char letter) {
  static const struct {
    char letter;
    int value;
  } choices[] = {{'N', 111}, {'T', 112}, {'C', 113}, {'U', 121}, {'L', 141}};
  for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i)
    if (choices[i].letter == letter) return choices[i].value;
  return 0;
}

int cblas_illegal(void) {
  enum { NON_UNIT = 131 };
  const char no_letter = 'X';
  for (int layout = 100; layout <= 102; ++layout) {
    WITH_EACH_WRONG(gemm, cblas_dgemm(layout, choice(x.op_a), choice(x.op_b), x.m, x.n, x.k, 1,
                                      NULL, x.lda, NULL, x.ldb, 1, NULL, x.ldc))
    WITH_EACH_WRONG(gemm, cblas_cgemm(layout, choice(x.op_a), choice(x.op_b), x.m, x.n, x.k, scalar,
                                      NULL, x.lda, NULL, x.ldb, scalar, NULL, x.ldc))
    WITH_EACH_WRONG(gemv, cblas_sgemv(layout, choice(x.op_a), x.m, x.n, 1, NULL, x.lda, NULL,
                                      x.incx, 1, NULL, x.incy))
    WITH_EACH_WRONG(gemv, cblas_zgemv(layout, choice(x.op_a), x.m, x.n, scalar, NULL, x.lda, NULL,
                                      x.incx, scalar, NULL, x.incy))
    WITH_EACH_WRONG(symm, cblas_ssymm(layout, choice(x.side), choice(x.uplo), x.m, x.n, 1, NULL,
                                      x.lda, NULL, x.ldb, 1, NULL, x.ldc))
    WITH_EACH_WRONG(syrk, cblas_zherk(layout, choice(x.uplo), choice(x.op_a), x.n, x.k, 1, NULL,
                                      x.lda, 1, NULL, x.ldc))
    WITH_EACH_WRONG(triangular, cblas_dtrsm(layout, choice(x.side), choice(x.uplo), choice(x.op_a),
                                            x.diag == 'N' ? NON_UNIT : 0, x.m, x.n, 1, NULL, x.lda,
                                            NULL, x.ldb))
  }
  return 1;
}
