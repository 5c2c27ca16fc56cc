// A batch through the C++ interface, by pointers or strided.
#pragma once

#include <duoblas/context.hpp>

#include "support/batch_case.hpp"

namespace duoblas::test {

template <typename T>
void multiply_batch(Context& context, const BatchCall<T>& b, bool by_pointers) {
  const Call<T>& s = b.shape;
  if (by_pointers)
    context.gemm_batched<T>(s.layout, s.op_a, s.op_b, s.m, s.n, s.k, s.alpha, b.a_places.data(),
                            s.lda, b.b_places.data(), s.ldb, s.beta, b.c_places.data(), b.ldc,
                            b.count);
  else
    context.gemm_strided_batched<T>(s.layout, s.op_a, s.op_b, s.m, s.n, s.k, s.alpha, s.a, s.lda,
                                    b.stride_a, s.b, s.ldb, b.stride_b, s.beta, b.c, b.ldc,
                                    b.stride_c, b.count);
}

}  // namespace duoblas::test
