// Context's routines beside gemm: arguments into one struct, checked, and run.
#include <complex>
#include <cstdint>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "api/every_type.hpp"
#include "level3/blocked_level3.hpp"
#include "os/cancellation_disabled.hpp"
#include "problem/caller_level3.hpp"

namespace duoblas {
namespace {

struct Level3Arguments : CallerLevel3 {
  template <typename T>
  Level3Arguments(Routine routine, Layout given_layout, Uplo uplo, const T* a, std::int64_t lda,
                  T* c, std::int64_t ldc) {
    layout = given_layout;
    args.routine = routine;
    args.precision = precision_of<T>;
    args.uplo = uplo;
    args.a = a;
    args.lda = lda;
    args.c = c;
    args.ldc = ldc;
  }
  void sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
    args.m = m;
    args.n = n;
    args.k = k;
  }
  void second_operand(const void* b, std::int64_t ldb) {
    args.b = b;
    args.ldb = ldb;
  }
};

void run(Engine& engine, const Level3Arguments& call) {
  const CancellationDisabled whole_call;
  check(call);
  remember_call(run_level3(engine, to_row_major(call)));
}

}  // namespace

template <typename T>
void Context::symm(Layout layout, Side side, Uplo uplo, std::int64_t m, std::int64_t n,
                   Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                   Scalar<T> beta, T* c, std::int64_t ldc) {
  Level3Arguments call(Routine::symm, layout, uplo, a, lda, c, ldc);
  call.sizes(m, n, 0);
  call.second_operand(b, ldb);
  call.args.side = side;
  call.args.alpha = std::complex<double>(alpha);
  call.args.beta = std::complex<double>(beta);
  run(state_->engine, call);
}

template <typename T>
void Context::hemm(Layout layout, Side side, Uplo uplo, std::int64_t m, std::int64_t n,
                   Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                   Scalar<T> beta, T* c, std::int64_t ldc) {
  Level3Arguments call(Routine::hemm, layout, uplo, a, lda, c, ldc);
  call.sizes(m, n, 0);
  call.second_operand(b, ldb);
  call.args.side = side;
  call.args.alpha = std::complex<double>(alpha);
  call.args.beta = std::complex<double>(beta);
  run(state_->engine, call);
}

template <typename T>
void Context::syrk(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Scalar<T> alpha,
                   const T* a, std::int64_t lda, Scalar<T> beta, T* c, std::int64_t ldc) {
  Level3Arguments call(Routine::syrk, layout, uplo, a, lda, c, ldc);
  call.sizes(n, n, k);
  call.args.op = op;
  call.args.alpha = std::complex<double>(alpha);
  call.args.beta = std::complex<double>(beta);
  run(state_->engine, call);
}

template <typename T>
void Context::herk(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Real<T> alpha,
                   const T* a, std::int64_t lda, Real<T> beta, T* c, std::int64_t ldc) {
  Level3Arguments call(Routine::herk, layout, uplo, a, lda, c, ldc);
  call.sizes(n, n, k);
  call.args.op = op;
  call.args.alpha = static_cast<double>(alpha);
  call.args.beta = static_cast<double>(beta);
  run(state_->engine, call);
}

template <typename T>
void Context::syr2k(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k,
                    Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                    Scalar<T> beta, T* c, std::int64_t ldc) {
  Level3Arguments call(Routine::syr2k, layout, uplo, a, lda, c, ldc);
  call.sizes(n, n, k);
  call.second_operand(b, ldb);
  call.args.op = op;
  call.args.alpha = std::complex<double>(alpha);
  call.args.beta = std::complex<double>(beta);
  run(state_->engine, call);
}

template <typename T>
void Context::her2k(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k,
                    Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                    Real<T> beta, T* c, std::int64_t ldc) {
  Level3Arguments call(Routine::her2k, layout, uplo, a, lda, c, ldc);
  call.sizes(n, n, k);
  call.second_operand(b, ldb);
  call.args.op = op;
  call.args.alpha = std::complex<double>(alpha);
  call.args.beta = static_cast<double>(beta);
  run(state_->engine, call);
}

template <typename T>
void Context::trmm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m,
                   std::int64_t n, Scalar<T> alpha, const T* a, std::int64_t lda, T* b,
                   std::int64_t ldb) {
  Level3Arguments call(Routine::trmm, layout, uplo, a, lda, b, ldb);
  call.sizes(m, n, 0);
  call.args.side = side;
  call.args.op = op;
  call.args.diag = diag;
  call.args.alpha = std::complex<double>(alpha);
  run(state_->engine, call);
}

template <typename T>
void Context::trsm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m,
                   std::int64_t n, Scalar<T> alpha, const T* a, std::int64_t lda, T* b,
                   std::int64_t ldb) {
  Level3Arguments call(Routine::trsm, layout, uplo, a, lda, b, ldb);
  call.sizes(m, n, 0);
  call.args.side = side;
  call.args.op = op;
  call.args.diag = diag;
  call.args.alpha = std::complex<double>(alpha);
  run(state_->engine, call);
}

#define DUOBLAS_SIDED(NAME, T)                                                                \
  template void Context::NAME<T>(Layout, Side, Uplo, Size, Size, T, const T*, Size, const T*, \
                                 Size, T, T*, Size);
#define DUOBLAS_RANK_K(NAME, T, ALPHA, BETA)                                                    \
  template void Context::NAME<T>(Layout, Uplo, Op, Size, Size, ALPHA, const T*, Size, BETA, T*, \
                                 Size);
#define DUOBLAS_RANK_2K(NAME, T, BETA)                                                            \
  template void Context::NAME<T>(Layout, Uplo, Op, Size, Size, T, const T*, Size, const T*, Size, \
                                 BETA, T*, Size);
#define DUOBLAS_IN_PLACE(NAME, T)                                                                 \
  template void Context::NAME<T>(Layout, Side, Uplo, Op, Diag, Size, Size, T, const T*, Size, T*, \
                                 Size);
#define DUOBLAS_SYMMETRIC(T)    \
  DUOBLAS_SIDED(symm, T)        \
  DUOBLAS_RANK_K(syrk, T, T, T) \
  DUOBLAS_RANK_2K(syr2k, T, T)  \
  DUOBLAS_IN_PLACE(trmm, T)     \
  DUOBLAS_IN_PLACE(trsm, T)
#define DUOBLAS_HERMITIAN(T)                \
  DUOBLAS_SIDED(hemm, T)                    \
  DUOBLAS_RANK_K(herk, T, Real<T>, Real<T>) \
  DUOBLAS_RANK_2K(her2k, T, Real<T>)

DUOBLAS_SYMMETRIC(float)
DUOBLAS_SYMMETRIC(double)
DUOBLAS_SYMMETRIC(std::complex<float>)
DUOBLAS_SYMMETRIC(std::complex<double>)
DUOBLAS_HERMITIAN(std::complex<float>)
DUOBLAS_HERMITIAN(std::complex<double>)

}  // namespace duoblas
