/* src/problem/level3_call.h (agreed between the shim, the level-3 code and the engine; plain C99, no functions) */
/* One call of BLAS level 3 as plain C: what crosses from the drop-in (src/dropin, libc only) to the engine. */
#ifndef DUOBLAS_PROBLEM_LEVEL3_CALL_H
#define DUOBLAS_PROBLEM_LEVEL3_CALL_H
#include <stdint.h>
enum duoblas_routine { DUOBLAS_GEMM, DUOBLAS_SYMM, DUOBLAS_HEMM, DUOBLAS_SYRK, DUOBLAS_HERK, DUOBLAS_SYR2K, DUOBLAS_HER2K, DUOBLAS_TRMM, DUOBLAS_TRSM, DUOBLAS_ROUTINES };
struct duoblas_level3_call {
  int routine;              /* enum duoblas_routine */
  char precision;           /* 's' 'd' 'c' 'z' */
  int layout;               /* CBLAS values: 101 row-major, 102 column-major; so are the following (0 = the routine has none) */
  int side, uplo, op_a, op_b, diag; /* 141/142, 121/122, 111..113, 131/132. syrk and friends: op_a is their `trans` */
  int64_t m, n, k;          /* as the routine names them; unused: 0 (syrk: n, k; symm/trmm/trsm: m, n) */
  const void* alpha;        /* one element of the precision (herk: real alpha of the real type; her2k: complex alpha, real beta) */
  const void* a; int64_t lda;
  const void* b; int64_t ldb; /* trmm, trsm: B is in c, as it is read and written; b is unused */
  const void* beta;         /* null where the routine has none */
  void* c; int64_t ldc;
};
/* What libduoblas exports for the drop-in (src/api/dropin_engine.cpp): found with dlsym("duoblas_dropin_engine"). */
struct duoblas_dropin_engine {
  int version;              /* 1 */
  /* 1: done. 0: the next definition is to do it (the CPU is better here, the device is still starting, or something is missing); nothing was written. Arguments were checked by the caller. Never throws. */
  int (*run)(const struct duoblas_level3_call* call);
  /* flops under which `run` would always answer 0, per routine and precision (s, d, c, z order); may grow or shrink while the program runs (relaxed reads of doubles). */
  const double (*smallest_flops)[4];
};
#endif
