/* One call of BLAS level 3 as plain C: what crosses from the drop-in (src/dropin, libc only) to the
 * engine. C99, no functions. */
#ifndef DUOBLAS_PROBLEM_LEVEL3_CALL_H
#define DUOBLAS_PROBLEM_LEVEL3_CALL_H

#include <stdint.h>

enum duoblas_routine {
  DUOBLAS_GEMM,
  DUOBLAS_SYMM,
  DUOBLAS_HEMM,
  DUOBLAS_SYRK,
  DUOBLAS_HERK,
  DUOBLAS_SYR2K,
  DUOBLAS_HER2K,
  DUOBLAS_TRMM,
  DUOBLAS_TRSM,
  DUOBLAS_ROUTINES
};

struct duoblas_level3_call {
  int routine;    /* enum duoblas_routine */
  char precision; /* 's' 'd' 'c' 'z' */
  /* CBLAS values, 0 where the routine has none: 101 row-major, 102 column-major; side 141 left, 142
   * right; uplo 121 upper, 122 lower; ops 111 none, 112 transposed, 113 conjugated too; diag 131
   * general, 132 unit. syrk and friends: op_a is their `trans`. */
  int layout, side, uplo, op_a, op_b, diag;
  int64_t m, n, k; /* as the routine names them, else 0 (syrk: n, k; symm, trmm, trsm: m, n) */
  /* One element of the precision; of the real type: both scalars of herk, beta of her2k. */
  const void* alpha;
  const void* a;
  int64_t lda;
  const void* b; /* trmm, trsm: B is c, as it is read and written, and this is null */
  int64_t ldb;
  const void* beta; /* null where the routine has none */
  void* c;
  int64_t ldc;
  int threads; /* that the caller allows the CPU; 0: says nothing */
};

#define DUOBLAS_TIMED 2

/* What libduoblas exports for the drop-in, as the result of duoblas_dropin_engine(). */
struct duoblas_dropin_engine {
  int version; /* 4 */
  /* 1: done. 0: the next definition is to do it (the CPU is better here, the device is still
   * starting, or something is missing), and nothing was written. DUOBLAS_TIMED: the same, and how
   * long it takes is to be noted. Arguments were checked by the caller. Never throws. */
  int (*run)(const struct duoblas_level3_call* call);
  /* Flops under which `run` would always answer 0, per routine and precision (s, d, c, z). They
   * change while the program runs: read them relaxed. Flops are 2 m n k of gemm; of symm and hemm
   * 2 m m n (left) or 2 m n n; syrk, herk n n k; syr2k, her2k 2 n n k; trmm, trsm m m n (left) or
   * m n n; four times that for complex types. */
  const double (*smallest_flops)[4];
  /* The same for a process without any other BLAS: on the CPU too. 0: it cannot be done. */
  int (*run_anywhere)(const struct duoblas_level3_call* call);
  /* Counts a call that the next definition does, for the summary at the program's end. */
  void (*note_passed_on)(const struct duoblas_level3_call* call);
  /* What the next definition took for a call that `run` wants to know of; infinite: there is none.
   */
  void (*note_seconds)(const struct duoblas_level3_call* call, double seconds);
};

#endif
