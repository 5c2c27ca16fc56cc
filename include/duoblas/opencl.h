/* Products of matrices in OpenCL buffers of the program's own, on its own queue: the GPU alone.
 * C99; <CL/cl.h> is not needed here, and may be included before or after. */
#ifndef DUOBLAS_OPENCL_H
#define DUOBLAS_OPENCL_H

#include <duoblas/duoblas.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What cl_command_queue, cl_mem and cl_event point to. */
struct _cl_command_queue;
struct _cl_mem;
struct _cl_event;

/* Kernels for one in-order queue, compiled for its context at the first product that needs them:
 * what `duoblas tune` found for the device, or one like it, else what is built in. Keeps references
 * to the queue and its context. Creating one waits for what the queue holds.
 * DEVICE_ERROR: the queue is out of order, or none; or this process was forked from one that used
 * DuoBLAS. */
typedef struct duoblas_device_blas duoblas_device_blas;
DUOBLAS_C_API duoblas_status duoblas_device_blas_create(struct _cl_command_queue* queue,
                                                        duoblas_device_blas** made);
/* NULL: nothing. Products that were enqueued go on. */
DUOBLAS_C_API void duoblas_device_blas_free(duoblas_device_blas* blas);

/* A matrix that begins `offset` elements from the start of a buffer of the queue's context; `ld` is
 * its leading dimension, in elements. */
typedef struct duoblas_device_matrix {
  struct _cl_mem* buffer;
  int64_t offset;
  int64_t ld;
} duoblas_device_matrix;

/* As in OpenCL: the product starts after these events, whose queues are flushed, and *done, where
 * done is not NULL, becomes an event of it, which the caller releases. */
typedef struct duoblas_device_events {
  uint32_t count;
  struct _cl_event* const* after;
  struct _cl_event** done;
} duoblas_device_events;

/* C = alpha op(A) op(B) + beta C as duoblas_sgemm and its kin, enqueued and flushed; nothing is
 * waited for but the compiler, and a kernel's trial on small products of its own, before its first
 * use (DUOBLAS_CHECK). Numbers of illegal arguments as theirs (a 8, lda 9, b 10, ldb 11,
 * c 13, ldc 14, events 15), and nothing was enqueued then. `events` may be NULL. */
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

/* Many products in as few launches as the device takes: the first one's matrices, and how many
 * elements further on the next one's begin. stride_a and stride_b may be 0. Numbers of illegal
 * arguments as duoblas_sgemm_strided_batched's (a 8, lda 9, stride_a 10 ... count 18, events 19). */
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

#ifdef __cplusplus
}
#endif

#endif
