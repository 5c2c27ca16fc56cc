/* DuoBLAS in C (C99): matrix products on the CPU and the GPU at once.
 *
 * Every function may be called from any number of threads. The matrices are the caller's, are
 * used only during the call (but by jobs and prepared matrices, below), and C must not overlap A
 * or B. pthread_cancel of a thread inside a call takes effect after the call.
 */
#ifndef DUOBLAS_H
#define DUOBLAS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DUOBLAS_C_API __attribute__((visibility("default")))
#else
#define DUOBLAS_C_API
#endif

#define DUOBLAS_VERSION_MAJOR 0
#define DUOBLAS_VERSION_MINOR 2
#define DUOBLAS_VERSION_PATCH 0

/* The values are those of CBLAS, so that a CBLAS_LAYOUT, CBLAS_TRANSPOSE and so on can be cast. */
typedef enum duoblas_layout { DUOBLAS_ROW_MAJOR = 101, DUOBLAS_COLUMN_MAJOR = 102 } duoblas_layout;

typedef enum duoblas_op {
  DUOBLAS_NO_TRANS = 111,
  DUOBLAS_TRANS = 112,
  DUOBLAS_CONJ_TRANS = 113
} duoblas_op;

typedef enum duoblas_side { DUOBLAS_LEFT = 141, DUOBLAS_RIGHT = 142 } duoblas_side;
typedef enum duoblas_uplo { DUOBLAS_UPPER = 121, DUOBLAS_LOWER = 122 } duoblas_uplo;
typedef enum duoblas_diag { DUOBLAS_NON_UNIT = 131, DUOBLAS_UNIT = 132 } duoblas_diag;

/* The result of a call. duoblas_last_error() explains it. */
typedef enum duoblas_status {
  DUOBLAS_OK = 0,
  DUOBLAS_INVALID_ARGUMENT = 1, /* nothing was written */
  DUOBLAS_INVALID_SETTING = 2,  /* an environment variable cannot be used; nothing was written */
  DUOBLAS_NO_CPU_BLAS = 3,      /* no CPU BLAS library could be loaded */
  DUOBLAS_OUT_OF_MEMORY = 4,
  DUOBLAS_INTERNAL_ERROR = 5,
  /* An OpenCL call of opencl.h failed. In other calls the CPU takes over, unless the GPU hangs and
   * may still write to C (in place, without a copy): then C is incomplete. */
  DUOBLAS_DEVICE_ERROR = 6,
  DUOBLAS_SINGULAR = 7 /* of lapack.h: the matrix is singular, or not positive definite */
} duoblas_status;

/* C = alpha op(A) op(B) + beta C, with op(A) m x k, op(B) k x n and C m x n; lda, ldb and ldc are
 * in elements. The argument order is that of CBLAS, the sizes have 64 bits. beta == 0: C is
 * written without being read. For c and z the scalars and matrices are pairs (real, imaginary),
 * alpha and beta point to one such pair. Illegal arguments are numbered from 1 (layout) to
 * 14 (ldc) in duoblas_last_error(). */
DUOBLAS_C_API duoblas_status duoblas_sgemm(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                           int64_t m, int64_t n, int64_t k, float alpha,
                                           const float* a, int64_t lda, const float* b, int64_t ldb,
                                           float beta, float* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_dgemm(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                           int64_t m, int64_t n, int64_t k, double alpha,
                                           const double* a, int64_t lda, const double* b,
                                           int64_t ldb, double beta, double* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_cgemm(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                           int64_t m, int64_t n, int64_t k, const void* alpha,
                                           const void* a, int64_t lda, const void* b, int64_t ldb,
                                           const void* beta, void* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_zgemm(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                           int64_t m, int64_t n, int64_t k, const void* alpha,
                                           const void* a, int64_t lda, const void* b, int64_t ldb,
                                           const void* beta, void* c, int64_t ldc);

/* The rest of level 3, with the argument orders of CBLAS and 64-bit sizes. Only the triangle of a
 * symmetric, Hermitian or triangular matrix that uplo names is read or written. Scalars, matrices,
 * beta == 0 and numbers of illegal arguments as for gemm. */
/* C = alpha A B + beta C (left) or alpha B A + beta C (right), A symmetric, B and C m x n. */
DUOBLAS_C_API duoblas_status duoblas_ssymm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, int64_t m, int64_t n, float alpha,
                                           const float* a, int64_t lda, const float* b, int64_t ldb,
                                           float beta, float* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_dsymm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, int64_t m, int64_t n, double alpha,
                                           const double* a, int64_t lda, const double* b,
                                           int64_t ldb, double beta, double* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_csymm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, int64_t m, int64_t n,
                                           const void* alpha, const void* a, int64_t lda,
                                           const void* b, int64_t ldb, const void* beta, void* c,
                                           int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_zsymm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, int64_t m, int64_t n,
                                           const void* alpha, const void* a, int64_t lda,
                                           const void* b, int64_t ldb, const void* beta, void* c,
                                           int64_t ldc);
/* The same with a Hermitian A, whose diagonal's imaginary parts are not read. */
DUOBLAS_C_API duoblas_status duoblas_chemm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, int64_t m, int64_t n,
                                           const void* alpha, const void* a, int64_t lda,
                                           const void* b, int64_t ldb, const void* beta, void* c,
                                           int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_zhemm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, int64_t m, int64_t n,
                                           const void* alpha, const void* a, int64_t lda,
                                           const void* b, int64_t ldb, const void* beta, void* c,
                                           int64_t ldc);
/* C = alpha op(A) op(A)^T + beta C, op(A) n x k, C n x n; c and z: op is not CONJ_TRANS. */
DUOBLAS_C_API duoblas_status duoblas_ssyrk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                           int64_t n, int64_t k, float alpha, const float* a,
                                           int64_t lda, float beta, float* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_dsyrk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                           int64_t n, int64_t k, double alpha, const double* a,
                                           int64_t lda, double beta, double* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_csyrk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                           int64_t n, int64_t k, const void* alpha, const void* a,
                                           int64_t lda, const void* beta, void* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_zsyrk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                           int64_t n, int64_t k, const void* alpha, const void* a,
                                           int64_t lda, const void* beta, void* c, int64_t ldc);
/* C = alpha op(A) op(A)^H + beta C with real alpha and beta, op NO_TRANS or CONJ_TRANS; the
 * imaginary parts of C's diagonal become zero. */
DUOBLAS_C_API duoblas_status duoblas_cherk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                           int64_t n, int64_t k, float alpha, const void* a,
                                           int64_t lda, float beta, void* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_zherk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                           int64_t n, int64_t k, double alpha, const void* a,
                                           int64_t lda, double beta, void* c, int64_t ldc);
/* C = alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C; op as for syrk. */
DUOBLAS_C_API duoblas_status duoblas_ssyr2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                            int64_t n, int64_t k, float alpha, const float* a,
                                            int64_t lda, const float* b, int64_t ldb, float beta,
                                            float* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_dsyr2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                            int64_t n, int64_t k, double alpha, const double* a,
                                            int64_t lda, const double* b, int64_t ldb, double beta,
                                            double* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_csyr2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                            int64_t n, int64_t k, const void* alpha, const void* a,
                                            int64_t lda, const void* b, int64_t ldb,
                                            const void* beta, void* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_zsyr2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                            int64_t n, int64_t k, const void* alpha, const void* a,
                                            int64_t lda, const void* b, int64_t ldb,
                                            const void* beta, void* c, int64_t ldc);
/* C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C, beta real; op as for herk. */
DUOBLAS_C_API duoblas_status duoblas_cher2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                            int64_t n, int64_t k, const void* alpha, const void* a,
                                            int64_t lda, const void* b, int64_t ldb, float beta,
                                            void* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_zher2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op,
                                            int64_t n, int64_t k, const void* alpha, const void* a,
                                            int64_t lda, const void* b, int64_t ldb, double beta,
                                            void* c, int64_t ldc);
/* B = alpha op(A) B (left) or alpha B op(A) (right), A triangular, B m x n. UNIT: the diagonal of A
 * is all ones, and is not read. */
DUOBLAS_C_API duoblas_status duoblas_strmm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, duoblas_op op, duoblas_diag diag,
                                           int64_t m, int64_t n, float alpha, const float* a,
                                           int64_t lda, float* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_dtrmm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, duoblas_op op, duoblas_diag diag,
                                           int64_t m, int64_t n, double alpha, const double* a,
                                           int64_t lda, double* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_ctrmm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, duoblas_op op, duoblas_diag diag,
                                           int64_t m, int64_t n, const void* alpha, const void* a,
                                           int64_t lda, void* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_ztrmm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, duoblas_op op, duoblas_diag diag,
                                           int64_t m, int64_t n, const void* alpha, const void* a,
                                           int64_t lda, void* b, int64_t ldb);
/* Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) for X, which replaces B. A as for
 * trmm. It is not checked whether A is singular. */
DUOBLAS_C_API duoblas_status duoblas_strsm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, duoblas_op op, duoblas_diag diag,
                                           int64_t m, int64_t n, float alpha, const float* a,
                                           int64_t lda, float* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_dtrsm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, duoblas_op op, duoblas_diag diag,
                                           int64_t m, int64_t n, double alpha, const double* a,
                                           int64_t lda, double* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_ctrsm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, duoblas_op op, duoblas_diag diag,
                                           int64_t m, int64_t n, const void* alpha, const void* a,
                                           int64_t lda, void* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_ztrsm(duoblas_layout layout, duoblas_side side,
                                           duoblas_uplo uplo, duoblas_op op, duoblas_diag diag,
                                           int64_t m, int64_t n, const void* alpha, const void* a,
                                           int64_t lda, void* b, int64_t ldb);

/* Page-aligned memory, padded to whole pages: zero-copy if the driver can share it. NULL if memory
 * is short. Does not start OpenCL. duoblas_free accepts NULL too. */
DUOBLAS_C_API void* duoblas_malloc(size_t bytes);
DUOBLAS_C_API void duoblas_free(void* memory);

/* Registers the caller's own memory, which must stay in place until duoblas_unregister. A GPU with
 * memory of its own then fetches operands from it, and writes results to it, at the speed of the
 * bus, without copies on the host. Memory of duoblas_malloc is registered already. Does not start
 * OpenCL: the pages are locked at the first product that uses them on such a GPU, if the driver
 * does that. Products are right in any case. Whole pages that hold nothing else are best.
 * INVALID_ARGUMENT: memory is NULL (1), bytes is 0 or too large (2), or a part of the memory is
 * registered or comes from duoblas_malloc (1). A program must not free registered memory.
 * duoblas_unregister takes the address that duoblas_register got, and waits for running products
 * that use the memory; INVALID_ARGUMENT if no registered memory begins there. */
DUOBLAS_C_API duoblas_status duoblas_register(const void* memory, size_t bytes);
DUOBLAS_C_API duoblas_status duoblas_unregister(const void* memory);

/* gemm beside the calling thread: checks the arguments, hands the work to a thread of the library,
 * and sets *job. Jobs run in the order of their calls, one at a time. Until the job has ended, the
 * matrices must stay in place, A and B unchanged; it must have ended before main() does. Illegal
 * arguments are numbered as for gemm, and 15 (job). *job is NULL unless the status is OK. In a
 * forked child the work is done before the return. A job that had not ended when the parent forked
 * has no result in the child: there duoblas_job_done is 1, and duoblas_job_wait is INTERNAL_ERROR.
 * One thread at a time may use a job. */
typedef struct duoblas_job duoblas_job;
DUOBLAS_C_API duoblas_status duoblas_sgemm_async(duoblas_layout layout, duoblas_op op_a,
                                                 duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                                 float alpha, const float* a, int64_t lda,
                                                 const float* b, int64_t ldb, float beta, float* c,
                                                 int64_t ldc, duoblas_job** job);
DUOBLAS_C_API duoblas_status duoblas_dgemm_async(duoblas_layout layout, duoblas_op op_a,
                                                 duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                                 double alpha, const double* a, int64_t lda,
                                                 const double* b, int64_t ldb, double beta,
                                                 double* c, int64_t ldc, duoblas_job** job);
DUOBLAS_C_API duoblas_status duoblas_cgemm_async(duoblas_layout layout, duoblas_op op_a,
                                                 duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                                 const void* alpha, const void* a, int64_t lda,
                                                 const void* b, int64_t ldb, const void* beta,
                                                 void* c, int64_t ldc, duoblas_job** job);
DUOBLAS_C_API duoblas_status duoblas_zgemm_async(duoblas_layout layout, duoblas_op op_a,
                                                 duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                                 const void* alpha, const void* a, int64_t lda,
                                                 const void* b, int64_t ldb, const void* beta,
                                                 void* c, int64_t ldc, duoblas_job** job);
/* Waits, and returns the status of the product. NULL: OK. */
DUOBLAS_C_API duoblas_status duoblas_job_wait(duoblas_job* job);
/* 1 if the job has ended, by success or failure, so that duoblas_job_wait would return at once;
 * else 0. Does not wait. NULL: 1. */
DUOBLAS_C_API int duoblas_job_done(const duoblas_job* job);
/* Waits, and forgets the job. NULL: nothing. */
DUOBLAS_C_API void duoblas_job_free(duoblas_job* job);

/* A matrix of rows x columns, as it is stored (before op), for several products. If the GPU
 * computes on copies, the matrix is copied there now, once, and the copy stays until
 * duoblas_prepared_free. The CPU side reads `data` in every product, so `data` must stay in place
 * and unchanged until then. Illegal arguments: 1 (layout) to 5 (ld), 6 (prepared). */
typedef struct duoblas_prepared duoblas_prepared;
DUOBLAS_C_API duoblas_status duoblas_sprepare(duoblas_layout layout, int64_t rows, int64_t columns,
                                              const float* data, int64_t ld,
                                              duoblas_prepared** prepared);
DUOBLAS_C_API duoblas_status duoblas_dprepare(duoblas_layout layout, int64_t rows, int64_t columns,
                                              const double* data, int64_t ld,
                                              duoblas_prepared** prepared);
DUOBLAS_C_API duoblas_status duoblas_cprepare(duoblas_layout layout, int64_t rows, int64_t columns,
                                              const void* data, int64_t ld,
                                              duoblas_prepared** prepared);
DUOBLAS_C_API duoblas_status duoblas_zprepare(duoblas_layout layout, int64_t rows, int64_t columns,
                                              const void* data, int64_t ld,
                                              duoblas_prepared** prepared);
/* 1 if there is a copy on the device. 0 if not, also in a forked child: products are then as with
 * plain operands. */
DUOBLAS_C_API int duoblas_prepared_on_device(const duoblas_prepared* prepared);
/* Not while products use it. NULL does nothing. */
DUOBLAS_C_API void duoblas_prepared_free(duoblas_prepared* prepared);

/* An operand: {data, ld, NULL}, or {NULL, 0, prepared}. `prepared` has the layout and element type
 * of the product. It is the operand, or the operand is its upper left part. */
typedef struct duoblas_operand {
  const void* data;
  int64_t ld;
  const duoblas_prepared* prepared;
} duoblas_operand;

/* gemm with such operands; errors and their numbers as gemm's (a is 8, b is 10). */
DUOBLAS_C_API duoblas_status duoblas_sgemm_prepared(duoblas_layout layout, duoblas_op op_a,
                                                    duoblas_op op_b, int64_t m, int64_t n,
                                                    int64_t k, float alpha, duoblas_operand a,
                                                    duoblas_operand b, float beta, float* c,
                                                    int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_dgemm_prepared(duoblas_layout layout, duoblas_op op_a,
                                                    duoblas_op op_b, int64_t m, int64_t n,
                                                    int64_t k, double alpha, duoblas_operand a,
                                                    duoblas_operand b, double beta, double* c,
                                                    int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_cgemm_prepared(duoblas_layout layout, duoblas_op op_a,
                                                    duoblas_op op_b, int64_t m, int64_t n,
                                                    int64_t k, const void* alpha, duoblas_operand a,
                                                    duoblas_operand b, const void* beta, void* c,
                                                    int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_zgemm_prepared(duoblas_layout layout, duoblas_op op_a,
                                                    duoblas_op op_b, int64_t m, int64_t n,
                                                    int64_t k, const void* alpha, duoblas_operand a,
                                                    duoblas_operand b, const void* beta, void* c,
                                                    int64_t ldc);

/* From now on the GPU computes gpu_parts of `parts` equal parts of C's rows in every call of the
 * process, at every size, whatever the profile says, like DUOBLAS_STRATEGY=hybrid with
 * DUOBLAS_SPLIT. 1 <= parts <= 1024, 0 <= gpu_parts <= parts. */
DUOBLAS_C_API duoblas_status duoblas_set_split(int gpu_parts, int parts);
/* The environment and the profile decide again. */
DUOBLAS_C_API duoblas_status duoblas_clear_split(void);

/* Who computes the following calls of the process, like DUOBLAS_STRATEGY. Of a program with the
 * drop-in BLAS that means the calls that are large enough for a GPU. A split that was set comes
 * first. */
typedef enum {
  DUOBLAS_STRATEGY_AUTO = 0,
  DUOBLAS_STRATEGY_CPU = 1,
  DUOBLAS_STRATEGY_GPU = 2,
  DUOBLAS_STRATEGY_HYBRID = 3
} duoblas_strategy;
DUOBLAS_C_API duoblas_status duoblas_set_strategy(duoblas_strategy strategy);

/* The arithmetic of the following calls of the process, like DUOBLAS_MATH. TF32X3: on a GPU with
 * TF32 matrix instructions each product of floats becomes three products of 11-bit numbers: faster,
 * and no less accurate (docs/results/h200.md). Operands with infinities, NaNs or extreme
 * exponents are still computed exactly. */
typedef enum { DUOBLAS_MATH_EXACT = 0, DUOBLAS_MATH_TF32X3 = 1 } duoblas_math;
DUOBLAS_C_API duoblas_status duoblas_set_math(duoblas_math mode);

/* Which of the GPU's results are checked in the following calls of the process, like DUOBLAS_CHECK.
 * OFF: none. SAMPLED: a kernel's first results, then as many as take half a percent of the calls'
 * time. ALWAYS: all. If a result is wrong, the CPU computes it again, and the kernel is not used
 * any more. */
typedef enum {
  DUOBLAS_CHECK_OFF = 0,
  DUOBLAS_CHECK_SAMPLED = 1,
  DUOBLAS_CHECK_ALWAYS = 2
} duoblas_check;
DUOBLAS_C_API duoblas_status duoblas_set_check(duoblas_check mode);

/* What the calling thread's last call did: duoblas::CallSummary (context.hpp) in C. `reason` is one
 * sentence, valid until the thread asks again; "": there was no call. Illegal: summary is NULL (1).
 */
typedef struct duoblas_call_summary {
  duoblas_strategy strategy; /* CPU, GPU or HYBRID */
  int gpu_parts, parts;      /* the GPU's share that the plan asked for */
  int64_t gpu_rows;          /* of C; columns if by_columns is 1; of a batch's longest product */
  int by_columns;
  int64_t products, gpu_products; /* in a batch; and those in which the GPU had a part */
  int recovered;                  /* 1: the CPU computed the GPU's part; `reason`: why */
  int passed_on;                  /* 1: the program's own BLAS did it (drop-in) */
  double seconds;
  const char* reason;
} duoblas_call_summary;
DUOBLAS_C_API duoblas_status duoblas_last_call(duoblas_call_summary* summary);

/* The table of DUOBLAS_SUMMARY as it is now: what became of a program's calls of the drop-in BLAS.
 * "" if none was counted. Valid until this thread asks again. */
DUOBLAS_C_API const char* duoblas_summary(void);

/* Why the last failed call of this thread failed: one line of English, valid until the thread's
 * next failing call. "" if none has failed. */
DUOBLAS_C_API const char* duoblas_last_error(void);

/* "0.2.0" */
DUOBLAS_C_API const char* duoblas_version(void);

#ifdef __cplusplus
}
#endif

#include <duoblas/vectors.h>
/* Many products in one call. */
#include <duoblas/batched.h>
/* Linear equations. */
#include <duoblas/lapack.h>

#endif
