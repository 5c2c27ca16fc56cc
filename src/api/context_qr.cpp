// Context's QR.
#include <complex>
#include <cstdint>

#include <duoblas/context.hpp>
#include <duoblas/lapack.hpp>

#include "api/context_state.hpp"
#include "api/lapack_arguments.hpp"

namespace duoblas {

template <typename T>
void Context::geqrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda, T* tau) {
  LapackArguments<T> call(LapackRoutine::geqrf, n, a, lda);
  call.args.m = m;
  call.args.tau = tau;
  run_checked(state_->engine, call);
}

template <typename T>
void Context::orgqr(std::int64_t m, std::int64_t n, std::int64_t k, T* a, std::int64_t lda,
                    const T* tau) {
  LapackArguments<T> call(LapackRoutine::orgqr, n, a, lda);
  call.args.m = m;
  call.args.reflectors = k;
  call.args.tau = const_cast<T*>(tau);
  run_checked(state_->engine, call);
}

template <typename T>
void Context::ormqr(Side side, Op op, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
                    std::int64_t lda, const T* tau, T* c, std::int64_t ldc) {
  LapackArguments<T> call(LapackRoutine::ormqr, k, a, lda);
  const bool is_right = side == Side::right;
  call.args.side = side;
  call.args.op = op;
  call.args.m = is_right ? n : m;
  call.args.tau = const_cast<T*>(tau);
  call.right_sides(is_right ? m : n, c, ldc);
  run_checked(state_->engine, call);
}

template <typename T>
std::int64_t Context::gels(Op op, std::int64_t m, std::int64_t n, std::int64_t right_sides, T* a,
                           std::int64_t lda, T* b, std::int64_t ldb) {
  LapackArguments<T> call(LapackRoutine::gels, n, a, lda);
  call.args.op = op;
  call.args.m = m;
  call.right_sides(right_sides, b, ldb);
  return run_checked(state_->engine, call);
}

#define DUOBLAS_SIZE std::int64_t
#define DUOBLAS_QR_OF(T)                                                                        \
  template void Context::geqrf<T>(DUOBLAS_SIZE, DUOBLAS_SIZE, T*, DUOBLAS_SIZE, T*);            \
  template void Context::orgqr<T>(DUOBLAS_SIZE, DUOBLAS_SIZE, DUOBLAS_SIZE, T*, DUOBLAS_SIZE,   \
                                  const T*);                                                    \
  template void Context::ormqr<T>(Side, Op, DUOBLAS_SIZE, DUOBLAS_SIZE, DUOBLAS_SIZE, const T*, \
                                  DUOBLAS_SIZE, const T*, T*, DUOBLAS_SIZE);                    \
  template DUOBLAS_SIZE Context::gels<T>(Op, DUOBLAS_SIZE, DUOBLAS_SIZE, DUOBLAS_SIZE, T*,      \
                                         DUOBLAS_SIZE, T*, DUOBLAS_SIZE)
DUOBLAS_QR_OF(float);
DUOBLAS_QR_OF(double);
DUOBLAS_QR_OF(std::complex<float>);
DUOBLAS_QR_OF(std::complex<double>);
#undef DUOBLAS_QR_OF
#undef DUOBLAS_SIZE

}  // namespace duoblas
