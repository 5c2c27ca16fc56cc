// Products of one shape in a call of several.
#ifndef DUOBLAS_GEMM_GROUP_HPP
#define DUOBLAS_GEMM_GROUP_HPP

#include <cstdint>

#include <duoblas/types.hpp>

namespace duoblas {

/// `count` products C_i = alpha op(A_i) op(B_i) + beta C_i. a, b and c are arrays of `count`
/// pointers, in any order. Sizes and leading dimensions as for Context::gemm.
template <typename T>
struct GemmGroup {
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  T alpha = T(1);
  const T* const* a = nullptr;
  std::int64_t lda = 0;
  const T* const* b = nullptr;
  std::int64_t ldb = 0;
  T beta = T(0);
  T* const* c = nullptr;
  std::int64_t ldc = 0;
  std::int64_t count = 0;
};

}  // namespace duoblas

#endif
