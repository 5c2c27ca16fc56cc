// Context's routines that memory bounds.
#include <complex>
#include <cstdint>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "api/every_type.hpp"
#include "api/typed_calls.hpp"
#include "engine/vector_routines.hpp"
#include "os/cancellation_disabled.hpp"

namespace duoblas {

template <typename T>
void Context::gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha,
                   const T* a, std::int64_t lda, const T* x, std::int64_t incx, Scalar<T> beta,
                   T* y, std::int64_t incy) {
  const CancellationDisabled whole_call;
  const CallerGemv call =
      caller_gemv<T>(layout, op, {m, n}, alpha, a, lda, {x, incx}, beta, {y, incy});
  check(call);
  remember_call(state_->engine.run(GemvRoutine(to_row_major(call), nullptr)));
}

template <typename T>
void Context::omatcopy(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha,
                       const T* a, std::int64_t lda, T* b, std::int64_t ldb) {
  const CancellationDisabled whole_call;
  const CallerCopy call{layout, op, precision_of<T>, m, n, std::complex<double>(alpha), a, lda,
                        b,      ldb};
  check(call);
  remember_call(state_->engine.run(CopyRoutine(to_row_major(call))));
}

template <typename T>
void Context::ger(Layout layout, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* x,
                  std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  const CancellationDisabled whole_call;
  const CallerGer call = caller_ger<T>(layout, false, {m, n}, alpha, {x, incx}, {y, incy}, a, lda);
  check(call);
  remember_call(state_->engine.run(GerRoutine(to_row_major(call))));
}

template <typename T>
void Context::gerc(Layout layout, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* x,
                   std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  const CancellationDisabled whole_call;
  const CallerGer call = caller_ger<T>(layout, true, {m, n}, alpha, {x, incx}, {y, incy}, a, lda);
  check(call);
  remember_call(state_->engine.run(GerRoutine(to_row_major(call))));
}

template <typename T>
void Context::axpy(std::int64_t n, Scalar<T> alpha, const T* x, std::int64_t incx, T* y,
                   std::int64_t incy) {
  const CancellationDisabled whole_call;
  const CallerAxpy call{precision_of<T>, n, std::complex<double>(alpha), x, incx, y, incy};
  check(call);
  remember_call(state_->engine.run(AxpyRoutine(problem_of(call))));
}

#define DUOBLAS_VECTORS_OF(T)                                                                      \
  template void Context::gemv<T>(Layout, Op, Size, Size, Scalar<T>, const T*, Size, const T*,      \
                                 Size, Scalar<T>, T*, Size);                                       \
  template void Context::ger<T>(Layout, Size, Size, Scalar<T>, const T*, Size, const T*, Size, T*, \
                                Size);                                                             \
  template void Context::gerc<T>(Layout, Size, Size, Scalar<T>, const T*, Size, const T*, Size,    \
                                 T*, Size);                                                        \
  template void Context::axpy<T>(Size, Scalar<T>, const T*, Size, T*, Size);                       \
  template void Context::omatcopy<T>(Layout, Op, Size, Size, Scalar<T>, const T*, Size, T*, Size)
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_VECTORS_OF);
#undef DUOBLAS_VECTORS_OF

}  // namespace duoblas
