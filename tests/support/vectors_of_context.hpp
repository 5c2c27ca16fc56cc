// gemv, ger and axpy through the C++ interface.
#pragma once

#include <duoblas/context.hpp>

#include "support/gemv_case.hpp"
#include "support/update_case.hpp"

namespace duoblas::test {

template <typename T>
void call_gemv(Context& context, const CallerGemv& c) {
  context.gemv<T>(c.layout, c.op, c.m, c.n, static_cast<Real<T>>(c.alpha.real()),
                  static_cast<const T*>(c.a), c.lda, static_cast<const T*>(c.x), c.incx,
                  static_cast<Real<T>>(c.beta.real()), static_cast<T*>(c.y), c.incy);
}

template <typename T>
void call_ger(Context& context, const CallerGer& c) {
  const auto ger = c.conjugates ? &Context::gerc<T> : &Context::ger<T>;
  (context.*ger)(c.layout, c.m, c.n, static_cast<Real<T>>(c.alpha.real()),
                 static_cast<const T*>(c.x), c.incx, static_cast<const T*>(c.y), c.incy,
                 static_cast<T*>(c.a), c.lda);
}

template <typename T>
void call_axpy(Context& context, const CallerAxpy& c) {
  context.axpy<T>(c.n, static_cast<Real<T>>(c.alpha.real()), static_cast<const T*>(c.x), c.incx,
                  static_cast<T*>(c.y), c.incy);
}

}  // namespace duoblas::test
