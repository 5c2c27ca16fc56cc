/* One call of ?copy, of gemv, of BLAS level 3 or of LAPACK as plain C: what crosses from the
 * drop-in (src/dropin/shim, libc only) to the engine. C99, no functions. */
#ifndef DUOBLAS_PROBLEM_BLAS_CALL_H
#define DUOBLAS_PROBLEM_BLAS_CALL_H

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
  DUOBLAS_GEMV,
  DUOBLAS_GETRF, /* the first one of LAPACK */
  DUOBLAS_POTRF,
  DUOBLAS_GESV,
  DUOBLAS_POSV,
  DUOBLAS_GETRS,
  DUOBLAS_POTRS,
  DUOBLAS_GEQRF,
  DUOBLAS_ORGQR,
  DUOBLAS_ORMQR,
  DUOBLAS_GETRI,
  DUOBLAS_ROUTINES
};

struct duoblas_blas_call {
  int routine;    /* enum duoblas_routine */
  char precision; /* 's' 'd' 'c' 'z' */
  /* CBLAS values, 0 where the routine has none: 101 row-major, 102 column-major; side 141 left, 142
   * right; uplo 121 upper, 122 lower; ops 111 none, 112 transposed, 113 conjugated too; diag 131
   * general, 132 unit. syrk and friends, gemv: op_a is their `trans`. */
  int layout, side, uplo, op_a, op_b, diag;
  /* As the routine names them, else 0 (syrk: n, k; symm, trmm, trsm, gemv, getrf: m, n; QR: m, n,
   * k; the rest of LAPACK: n, and k right-hand sides. They are c, and so is ormqr's matrix). */
  int64_t m, n, k;
  /* One element of the precision; of the real type: both scalars of herk, beta of her2k. */
  const void* alpha;
  const void* a;
  int64_t lda;
  const void* b; /* trmm, trsm: B is c, as it is read and written, and this is null */
  int64_t ldb;
  const void* beta; /* null where the routine has none */
  void* c;
  int64_t ldc;
  /* Vectors, null where the routine has none: each is the lowest address of its memory. */
  const void* x;
  int64_t incx;
  void* y;
  int64_t incy;
  /* Of LAPACK, null where the routine has none: 32-bit integers, or 64-bit ones where `wide`. */
  void* pivots;
  void* info;
  /* Of QR, and of getri but for tau, likewise: `lwork` is the length that the caller says work has.
   */
  void* tau;
  void* work;
  int64_t lwork;
  int wide;
  int is_nested; /* a part of a call of LAPACK that was passed on */
  int threads;   /* that the caller allows the CPU; 0: says nothing */
  /* An address in the library of the next symbol, the same for all of its routines; null: there
   * is none, or it is not known. */
  const void* library;
};

/* y = x (?copy), and with it the number of threads that the caller allows; 0: says nothing. */
struct duoblas_copy {
  int64_t n;
  int size; /* of an element: 4, 8 or 16 bytes */
  const void* x;
  int64_t incx; /* positive, as incy */
  void* y;
  int64_t incy;
  int threads;
};

/* Copies of fewer elements, or whose elements all lie closer to each other, are the program's own
 * BLAS's. Memory bounds the latter. The former take it 1 us (512 doubles, two cores of a Xeon), to
 * ask the engine 0.25 us more. So NumPy's solve of 512 took 1.05 times as long. */
#define DUOBLAS_LEAST_COPIED 1024
#define DUOBLAS_FAR_BYTES 512

/* No product gains by a GPU under so many flops: on the emulated APU (PoCL on one core of an AMD
 * EPYC, OpenBLAS on the other) both sides win from n = 128 (dgemm) or 192 (sgemm) on. */
#define DUOBLAS_SMALLEST_GPU_FLOPS (2.0 * 128 * 128 * 128)

/* Nor does a call that memory bounds with so few bytes: a launch takes 50 us, the CPU 20 GB/s. */
#define DUOBLAS_SMALLEST_GPU_BYTES 1e6

/* What became of a call that the engine was asked to do. */
enum duoblas_answer {
  DUOBLAS_PASSED_ON, /* the next symbol is to do it; nothing was written */
  DUOBLAS_DONE,
  DUOBLAS_TIMED, /* as DUOBLAS_PASSED_ON; of this and what follows note_seconds hears the end */
  DUOBLAS_RESERVES_CORE, /* as DUOBLAS_PASSED_ON, on a core less: the device is being started */
  DUOBLAS_REST           /* of a gemm a part is done; what is left has become the call */
};

/* Why a call was passed on that the engine was not asked to do. */
enum duoblas_unasked {
  DUOBLAS_BELOW_LIMIT = -1,     /* fewer flops than smallest_flops */
  DUOBLAS_TOO_EARLY = -2,       /* the process had not multiplied enough to start a device for it */
  DUOBLAS_ILLEGAL_CALL = -3,    /* an argument is illegal */
  DUOBLAS_UNKNOWN_INTEGERS = -4 /* the next symbol did not show which integers it has */
};

/* What the user wants to hear of calls that are passed on: both may be set. */
enum duoblas_telling {
  DUOBLAS_COUNTS = 1, /* the summary at the program's end */
  DUOBLAS_SAYS = 2    /* a line for each, but the smallest (DUOBLAS_VERBOSE=2) */
};

/* Of DUOBLAS_CACHE_DIR: the programs whose device starts as they begin. Lines of 16 hexadecimal
 * digits, first a salt. The engine writes it, the shim reads it. */
#define DUOBLAS_PROGRAM_LIST "programs/at-start"
#define DUOBLAS_MOST_LISTED_BYTES 4096

/* A program that runs, as that list has it. */
struct duoblas_program {
  uint64_t salt, key;
  /* Whether what drivers read as they start is what it was as the program began: variables, cores.
   * A program that chooses its device itself, say, must not get another one. */
  int (*is_unchanged)(void);
  /* The main thread ends with the engine's `end`, before any handler of exit(). */
  int main_waits;
};

/* Of the struct below, of enum duoblas_routine and of the others that both sides know: one more
 * with each change of them. */
enum { DUOBLAS_ENGINE_VERSION = 14 };

/* What libduoblas exports for the drop-in, as the result of duoblas_dropin_engine(). */
struct duoblas_dropin_engine {
  int version; /* DUOBLAS_ENGINE_VERSION */
  /* Returns an enum duoblas_answer. If a call is passed on, `reason` becomes a number of the
   * engine's, for note_passed_on. `call` changes with DUOBLAS_REST only: m, n, a, b, c. Arguments
   * were checked by the caller. Never throws. */
  int (*run)(struct duoblas_blas_call* call, int* reason);
  /* Flops under which `run` would pass a call on, per routine and precision (s, d, c, z). They
   * change while the program runs: read them relaxed. Flops are 2 m n k of gemm; of symm and hemm
   * 2 m m n (left) or 2 m n n; syrk, herk n n k; syr2k, her2k 2 n n k; trmm, trsm m m n (left) or
   * m n n; gemv 2 m n; of LAPACK as problem/lapack_problem.hpp has it; four times that for complex
   * types. */
  const double (*smallest_flops)[4];
  /* For a process without any other BLAS: on the CPU too. 0: it cannot be done. */
  int (*run_anywhere)(const struct duoblas_blas_call* call);
  /* Tells of a call that the next symbol does. `reason` is run's, or an enum duoblas_unasked;
   * `telling` is of enum duoblas_telling. */
  void (*note_passed_on)(const struct duoblas_blas_call* call, int reason, int telling);
  /* What the next symbol took, on the thread that had called `run`; infinite: there is none. */
  void (*note_seconds)(const struct duoblas_blas_call* call, double seconds);
  /* Copies vectors of at least DUOBLAS_LEAST_COPIED elements. 0: the next symbol is to do it;
   * nothing was written. Never throws. */
  int (*copy)(const struct duoblas_copy* call);
  /* Before anything else: whose calls these are. It lives as long as the process. */
  void (*note_program)(const struct duoblas_program* program);
  /* On the main thread, before the program's first call, if the list has it: starts the device, if
   * the program's history agrees. Never throws. */
  void (*begin)(void);
  /* Waits for what the engine does beside the program, and begins nothing more. */
  void (*end)(void);
};

#endif
