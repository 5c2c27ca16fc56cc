// gemv through the C++ interface.
#pragma once

#include <duoblas/context.hpp>

#include "support/gemv_case.hpp"

namespace duoblas::test {

template <typename T>
void call_gemv(Context& context, const CallerGemv& c) {
  context.gemv<T>(c.layout, c.op, c.m, c.n, static_cast<Real<T>>(c.alpha.real()),
                  static_cast<const T*>(c.a), c.lda, static_cast<const T*>(c.x), c.incx,
                  static_cast<Real<T>>(c.beta.real()), static_cast<T*>(c.y), c.incy);
}

}  // namespace duoblas::test
