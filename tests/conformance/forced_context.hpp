// A context whose every call goes through both sides, at a split that the test chooses.
#pragma once

#include <duoblas/context.hpp>

#include "support/forced_settings.hpp"
#include "support/gemm_case.hpp"

namespace duoblas::test {

template <typename T>
Front<T> through(Context& context) {
  return [&context](const Call<T>& call, T* c, std::int64_t ldc) {
    context.gemm(call.layout, call.op_a, call.op_b, call.m, call.n, call.k, call.alpha, call.a,
                 call.lda, call.b, call.ldb, call.beta, c, ldc);
  };
}

/// The same test body for the element type that an index of 0 to 3 (s, d, c, z) names.
template <typename Body>
void with_type(int index, Body&& body) {
  switch (index) {
    case 0: body(float()); break;
    case 1: body(double()); break;
    case 2: body(std::complex<float>()); break;
    default: body(std::complex<double>()); break;
  }
}

}  // namespace duoblas::test
