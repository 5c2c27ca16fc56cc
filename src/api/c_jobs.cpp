// The C functions for jobs.
#include <duoblas/duoblas.h>

#include <complex>
#include <memory>

#include <duoblas/context.hpp>

#include "api/c_arguments.hpp"
#include "api/c_gemm.hpp"
#include "api/c_status.hpp"

struct duoblas_job {
  duoblas::Job job;
};

namespace {

using duoblas::CComplexGemm;
using duoblas::CGemm;
using duoblas::guarded;

void start_nothing(duoblas_job** job) {
  if (job == nullptr) throw duoblas::ArgumentError(15, "job", "is a null pointer");
  *job = nullptr;
}

template <typename T>
void start(const CGemm<T>& g, duoblas_job** job) {
  auto made = std::make_unique<duoblas_job>();
  made->job = duoblas::Context::process_default().gemm_async(
      duoblas::layout_of(g.layout), duoblas::op_of(g.op_a), duoblas::op_of(g.op_b), g.m, g.n, g.k,
      g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, g.c, g.ldc);
  *job = made.release();
}

template <typename T>
duoblas_status run(const CGemm<T>& g, duoblas_job** job) noexcept {
  return guarded([&] {
    start_nothing(job);
    start(g, job);
  });
}

template <typename T>
duoblas_status run_complex(const CComplexGemm& g, duoblas_job** job) noexcept {
  return guarded([&] {
    start_nothing(job);
    start(duoblas::typed<T>(g), job);
  });
}

}  // namespace

extern "C" {

duoblas_status duoblas_sgemm_async(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                   int64_t m, int64_t n, int64_t k, float alpha, const float* a,
                                   int64_t lda, const float* b, int64_t ldb, float beta, float* c,
                                   int64_t ldc, duoblas_job** job) {
  return run<float>({layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, job);
}

duoblas_status duoblas_dgemm_async(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                   int64_t m, int64_t n, int64_t k, double alpha, const double* a,
                                   int64_t lda, const double* b, int64_t ldb, double beta,
                                   double* c, int64_t ldc, duoblas_job** job) {
  return run<double>({layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, job);
}

duoblas_status duoblas_cgemm_async(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                   int64_t m, int64_t n, int64_t k, const void* alpha,
                                   const void* a, int64_t lda, const void* b, int64_t ldb,
                                   const void* beta, void* c, int64_t ldc, duoblas_job** job) {
  return run_complex<std::complex<float>>(
      {layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, job);
}

duoblas_status duoblas_zgemm_async(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                   int64_t m, int64_t n, int64_t k, const void* alpha,
                                   const void* a, int64_t lda, const void* b, int64_t ldb,
                                   const void* beta, void* c, int64_t ldc, duoblas_job** job) {
  return run_complex<std::complex<double>>(
      {layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, job);
}

duoblas_status duoblas_job_wait(duoblas_job* job) {
  return guarded([&] {
    if (job != nullptr) job->job.wait();
  });
}

int duoblas_job_done(const duoblas_job* job) {
  return job == nullptr || job->job.done() ? 1 : 0;
}

void duoblas_job_free(duoblas_job* job) {
  const duoblas::CancellationDisabled whole_call;
  delete job;
}

}  // extern "C"
