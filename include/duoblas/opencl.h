/* Products of matrices in a program's own OpenCL buffers, on its own queue, by the GPU alone. C99;
 * <CL/cl.h> is not needed here, and may be included before or after. */
#ifndef DUOBLAS_OPENCL_H
#define DUOBLAS_OPENCL_H

#include <duoblas/duoblas.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The targets of cl_command_queue, cl_mem and cl_event. */
struct _cl_command_queue;
struct _cl_mem;
struct _cl_event;

/* Kernels for one in-order queue, compiled for its context at the first product that needs them.
 * They are those that `duoblas tune` found for the device, or for one like it; else the built-in
 * ones. Keeps references to the queue and its context. Creating one waits for the commands in the
 * queue. DEVICE_ERROR: the queue is out of order, or is no queue; or this process was forked from
 * one that used DuoBLAS. */
typedef struct duoblas_device_blas duoblas_device_blas;
DUOBLAS_C_API duoblas_status duoblas_device_blas_create(struct _cl_command_queue* queue,
                                                        duoblas_device_blas** made);
/* NULL does nothing. Enqueued products go on. */
DUOBLAS_C_API void duoblas_device_blas_free(duoblas_device_blas* blas);

/* A matrix that begins `offset` elements from the start of a buffer of the queue's context; `ld` is
 * its leading dimension in elements. */
typedef struct duoblas_device_matrix {
  struct _cl_mem* buffer;
  int64_t offset;
  int64_t ld;
} duoblas_device_matrix;

/* Events as in OpenCL. The product starts after the events of the list, whose queues are flushed.
 * If done is not NULL, *done becomes an event of the product, which the caller releases. */
typedef struct duoblas_device_events {
  uint32_t count;
  struct _cl_event* const* after;
  struct _cl_event** done;
} duoblas_device_events;

/* C = alpha op(A) op(B) + beta C as duoblas_sgemm and its variants, enqueued and flushed; nothing
 * is waited for but the compiler, and a kernel's trial on small products of its own, before its
 * first use (DUOBLAS_CHECK). Numbers of illegal arguments as theirs (a 8, lda 9, b 10, ldb 11, c
 * 13, ldc 14, events 15), and nothing was enqueued then. `events` may be NULL. INVALID_SETTING: the
 * workspace (below) is too small. */
DUOBLAS_C_API duoblas_status duoblas_device_sgemm(duoblas_device_blas* blas, duoblas_layout layout,
                                                  duoblas_op op_a, duoblas_op op_b, int64_t m,
                                                  int64_t n, int64_t k, float alpha,
                                                  duoblas_device_matrix a, duoblas_device_matrix b,
                                                  float beta, duoblas_device_matrix c,
                                                  const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_dgemm(duoblas_device_blas* blas, duoblas_layout layout,
                                                  duoblas_op op_a, duoblas_op op_b, int64_t m,
                                                  int64_t n, int64_t k, double alpha,
                                                  duoblas_device_matrix a, duoblas_device_matrix b,
                                                  double beta, duoblas_device_matrix c,
                                                  const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_cgemm(duoblas_device_blas* blas, duoblas_layout layout,
                                                  duoblas_op op_a, duoblas_op op_b, int64_t m,
                                                  int64_t n, int64_t k, const void* alpha,
                                                  duoblas_device_matrix a, duoblas_device_matrix b,
                                                  const void* beta, duoblas_device_matrix c,
                                                  const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_zgemm(duoblas_device_blas* blas, duoblas_layout layout,
                                                  duoblas_op op_a, duoblas_op op_b, int64_t m,
                                                  int64_t n, int64_t k, const void* alpha,
                                                  duoblas_device_matrix a, duoblas_device_matrix b,
                                                  const void* beta, duoblas_device_matrix c,
                                                  const duoblas_device_events* events);

/* Sets *bytes to the device memory that such a product takes beside A, B and C, for packed
 * operands, partial sums and zeros, whatever alpha and beta are; 0: none. Waits for nothing. If a
 * kernel turns out to be unusable, its replacement may take more. INVALID_ARGUMENT with gemm's
 * numbers (bytes 8); DEVICE_ERROR if the sizes are too large. */
DUOBLAS_C_API duoblas_status duoblas_device_sgemm_workspace(duoblas_device_blas* blas,
                                                            duoblas_layout layout, duoblas_op op_a,
                                                            duoblas_op op_b, int64_t m, int64_t n,
                                                            int64_t k, int64_t* bytes);
DUOBLAS_C_API duoblas_status duoblas_device_dgemm_workspace(duoblas_device_blas* blas,
                                                            duoblas_layout layout, duoblas_op op_a,
                                                            duoblas_op op_b, int64_t m, int64_t n,
                                                            int64_t k, int64_t* bytes);
DUOBLAS_C_API duoblas_status duoblas_device_cgemm_workspace(duoblas_device_blas* blas,
                                                            duoblas_layout layout, duoblas_op op_a,
                                                            duoblas_op op_b, int64_t m, int64_t n,
                                                            int64_t k, int64_t* bytes);
DUOBLAS_C_API duoblas_status duoblas_device_zgemm_workspace(duoblas_device_blas* blas,
                                                            duoblas_layout layout, duoblas_op op_a,
                                                            duoblas_op op_b, int64_t m, int64_t n,
                                                            int64_t k, int64_t* bytes);

/* The same for a gemv with this incx: for partial sums, an x without gaps and zeros, whatever
 * alpha, beta and incy are. INVALID_ARGUMENT: layout 1, op 2, m 3, n 4, incx 5, bytes 6. */
DUOBLAS_C_API duoblas_status duoblas_device_sgemv_workspace(duoblas_device_blas* blas,
                                                            duoblas_layout layout, duoblas_op op,
                                                            int64_t m, int64_t n, int64_t incx,
                                                            int64_t* bytes);
DUOBLAS_C_API duoblas_status duoblas_device_dgemv_workspace(duoblas_device_blas* blas,
                                                            duoblas_layout layout, duoblas_op op,
                                                            int64_t m, int64_t n, int64_t incx,
                                                            int64_t* bytes);
DUOBLAS_C_API duoblas_status duoblas_device_cgemv_workspace(duoblas_device_blas* blas,
                                                            duoblas_layout layout, duoblas_op op,
                                                            int64_t m, int64_t n, int64_t incx,
                                                            int64_t* bytes);
DUOBLAS_C_API duoblas_status duoblas_device_zgemv_workspace(duoblas_device_blas* blas,
                                                            duoblas_layout layout, duoblas_op op,
                                                            int64_t m, int64_t n, int64_t incx,
                                                            int64_t* bytes);

/* From now on gemm and gemv take `bytes` of this buffer, from byte `offset` on, in place of device
 * memory of their own, and allocate none (but for a kernel's trial, before its first use). The
 * buffer can be read and written by kernels; `offset` is a multiple of the device's
 * CL_DEVICE_MEM_BASE_ADDR_ALIGN. A reference to it is kept until the next call of this; with NULL,
 * memory is their own again, as at first. A call that takes more is INVALID_SETTING, and nothing
 * was enqueued; duoblas_last_error() says how much. What batches take is memory of their own. Calls
 * of one duoblas_device_blas use it one after another. Before other products or commands use this
 * memory, those of this queue must have ended.
 * INVALID_ARGUMENT (buffer 2, offset 3, bytes 4): memory of another context, that begins elsewhere,
 * ends beyond the buffer's end, or cannot be read and written; then nothing has changed. */
DUOBLAS_C_API duoblas_status duoblas_device_blas_set_workspace(duoblas_device_blas* blas,
                                                               struct _cl_mem* buffer,
                                                               int64_t offset, int64_t bytes);
/* Many products in as few launches as the device takes: the first one's matrices, and how many
 * elements further on the next one's begin. stride_a and stride_b may be 0. Numbers of illegal
 * arguments as duoblas_sgemm_strided_batched's (a 8, lda 9, stride_a 10 ... count 18, events 19).
 */
DUOBLAS_C_API duoblas_status duoblas_device_sgemm_strided_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, float alpha, duoblas_device_matrix a, int64_t stride_a,
    duoblas_device_matrix b, int64_t stride_b, float beta, duoblas_device_matrix c,
    int64_t stride_c, int64_t count, const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_dgemm_strided_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, double alpha, duoblas_device_matrix a, int64_t stride_a,
    duoblas_device_matrix b, int64_t stride_b, double beta, duoblas_device_matrix c,
    int64_t stride_c, int64_t count, const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_cgemm_strided_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, const void* alpha, duoblas_device_matrix a, int64_t stride_a,
    duoblas_device_matrix b, int64_t stride_b, const void* beta, duoblas_device_matrix c,
    int64_t stride_c, int64_t count, const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_zgemm_strided_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, const void* alpha, duoblas_device_matrix a, int64_t stride_a,
    duoblas_device_matrix b, int64_t stride_b, const void* beta, duoblas_device_matrix c,
    int64_t stride_c, int64_t count, const duoblas_device_events* events);

/* Matrices of one shape in one buffer. Matrix i begins `offsets[i]` elements from its start. */
typedef struct duoblas_device_matrices {
  struct _cl_mem* buffer;
  const int64_t* offsets;
  int64_t ld;
} duoblas_device_matrices;

/* The same for `count` products, with a list of `count` offsets per operand. The lists are used
 * only until the return. Illegal arguments: layout 1, op_a 2, op_b 3, m 4, n 5, k 6, alpha 7, a 8,
 * lda 9, b 10, ldb 11, beta 12, c 13, ldc 14, count 15, events 16. */
DUOBLAS_C_API duoblas_status duoblas_device_sgemm_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, float alpha, duoblas_device_matrices a, duoblas_device_matrices b,
    float beta, duoblas_device_matrices c, int64_t count, const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_dgemm_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, double alpha, duoblas_device_matrices a, duoblas_device_matrices b,
    double beta, duoblas_device_matrices c, int64_t count, const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_cgemm_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, const void* alpha, duoblas_device_matrices a, duoblas_device_matrices b,
    const void* beta, duoblas_device_matrices c, int64_t count,
    const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_zgemm_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, const void* alpha, duoblas_device_matrices a, duoblas_device_matrices b,
    const void* beta, duoblas_device_matrices c, int64_t count,
    const duoblas_device_events* events);

/* A vector that begins `offset` elements from the start of a buffer. Its elements are `increment`
 * apart. If that is negative, the first element is the last in memory, as in BLAS. */
typedef struct duoblas_device_vector {
  struct _cl_mem* buffer;
  int64_t offset;
  int64_t increment;
} duoblas_device_vector;

/* y = alpha op(A) x + beta y as duoblas_sgemv and its variants, enqueued as gemm is. Complex
 * scalars by their addresses. Illegal arguments: layout 1, op 2, m 3, n 4, alpha 5, a 6, lda 7, x
 * 8, incx 9, beta 10, y 11, incy 12, events 13. */
DUOBLAS_C_API duoblas_status duoblas_device_sgemv(duoblas_device_blas* blas, duoblas_layout layout,
                                                  duoblas_op op, int64_t m, int64_t n, float alpha,
                                                  duoblas_device_matrix a, duoblas_device_vector x,
                                                  float beta, duoblas_device_vector y,
                                                  const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_dgemv(duoblas_device_blas* blas, duoblas_layout layout,
                                                  duoblas_op op, int64_t m, int64_t n, double alpha,
                                                  duoblas_device_matrix a, duoblas_device_vector x,
                                                  double beta, duoblas_device_vector y,
                                                  const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_cgemv(duoblas_device_blas* blas, duoblas_layout layout,
                                                  duoblas_op op, int64_t m, int64_t n,
                                                  const void* alpha, duoblas_device_matrix a,
                                                  duoblas_device_vector x, const void* beta,
                                                  duoblas_device_vector y,
                                                  const duoblas_device_events* events);
DUOBLAS_C_API duoblas_status duoblas_device_zgemv(duoblas_device_blas* blas, duoblas_layout layout,
                                                  duoblas_op op, int64_t m, int64_t n,
                                                  const void* alpha, duoblas_device_matrix a,
                                                  duoblas_device_vector x, const void* beta,
                                                  duoblas_device_vector y,
                                                  const duoblas_device_events* events);

#ifdef __cplusplus
}
#endif

#endif
