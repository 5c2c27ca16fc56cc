// Context's gemv.
#include <complex>
#include <cstdint>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "api/every_type.hpp"
#include "api/typed_calls.hpp"
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
  remember_call(state_->engine.run(to_row_major(call)));
}

#define DUOBLAS_VECTORS_OF(T)                                                                 \
  template void Context::gemv<T>(Layout, Op, Size, Size, Scalar<T>, const T*, Size, const T*, \
                                 Size, Scalar<T>, T*, Size)
DUOBLAS_FOR_EVERY_TYPE(DUOBLAS_VECTORS_OF);
#undef DUOBLAS_VECTORS_OF

}  // namespace duoblas
